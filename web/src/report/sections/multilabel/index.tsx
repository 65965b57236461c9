import "../../../style/report/parts.css";
import "../../../style/report/multilabel.css";
import { resultsOf } from "../../document.ts";
import type { GapResult, ScoresResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { hasSeveral } from "./stores.tsx";
import { View } from "./view.tsx";

export const multilabel: Section = {
  id: "multilabel",
  title: "Several labels per image",
  applies: (document) =>
    resultsOf<GapResult>(document, "assay.gap").length > 0 ||
    resultsOf<ScoresResult>(document, "assay.scores").some(({ result }) =>
      result.stores.some(hasSeveral),
    ),
  View,
};
