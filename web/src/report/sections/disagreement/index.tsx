import "../../../style/report/parts.css";
import "../../../style/report/disagreement.css";
import { resultsOf } from "../../document.ts";
import type { ComparisonsResult, PeopleResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const disagreement: Section = {
  id: "disagreement",
  title: "Disagreement",
  applies: (document) =>
    resultsOf<ComparisonsResult>(document, "assay.comparisons").some(
      ({ result }) => result.pairs.length > 0,
    ) ||
    resultsOf<PeopleResult>(document, "assay.people").some(
      ({ result }) => result.models.length > 0,
    ),
  View,
};
