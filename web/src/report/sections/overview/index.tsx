import "../../../style/report/parts.css";
import "../../../style/report/overview.css";
import { resultsOf } from "../../document.ts";
import type { ScoresResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const overview: Section = {
  id: "overview",
  title: "Overview",
  applies: (document) =>
    resultsOf<ScoresResult>(document, "assay.scores").some(
      ({ result }) => result.measurements.length > 0,
    ),
  View,
};
