import "../../../style/report/parts.css";
import "../../../style/report/robustness.css";
import { resultsOf } from "../../document.ts";
import type { AttackResult, CorruptedResult } from "../../schemas/robustness.ts";
import type { Section } from "../../section.ts";
import { examplesIn } from "./examples.tsx";
import { View } from "./view.tsx";

export const robustness: Section = {
  id: "robustness",
  title: "Robustness",
  applies: (document) =>
    resultsOf<CorruptedResult>(document, "assay.corrupted_accuracy").some(
      ({ result }) => result.models.length > 0,
    ) ||
    resultsOf<AttackResult>(document, "assay.attack").some(
      ({ result }) => result.models.length > 0,
    ) ||
    examplesIn(document).length > 0,
  View,
};
