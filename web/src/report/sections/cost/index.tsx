import "../../../style/report/parts.css";
import { resultsOf } from "../../document.ts";
import type { CostResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const cost: Section = {
  id: "cost",
  title: "Cost",
  applies: (document) =>
    resultsOf<CostResult>(document, "assay.cost").some(({ result }) => result.models.length > 0),
  View,
};
