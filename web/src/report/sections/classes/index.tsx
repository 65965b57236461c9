import "../../../style/report/parts.css";
import "../../../style/report/classes.css";
import { resultsOf } from "../../document.ts";
import { hasClasses } from "../../parts/stores.ts";
import type { ScoresResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const classes: Section = {
  id: "classes",
  title: "Classes",
  applies: (document) =>
    resultsOf<ScoresResult>(document, "assay.scores").some(({ result }) =>
      result.stores.some(hasClasses),
    ),
  View,
};
