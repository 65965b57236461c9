import "../../../style/report/attack_examples.css";
import "../../../style/report/parts.css";
import "../../../style/report/robustness.css";
import { resultsOf } from "../../document.ts";
import type { AttackResult, CorruptedResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { exampleSets } from "./examples.ts";
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
    exampleSets(document).length > 0,
  View,
};
