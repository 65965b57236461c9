import "../../../style/report/parts.css";
import "../../../style/report/replication.css";
import { resultsOf } from "../../document.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

const schemas = ["assay.replicate_adjust", "assay.replicate_plan", "assay.replicate_frequencies"];

export const replication: Section = {
  id: "replication",
  title: "Replication",
  applies: (document) => schemas.some((schema) => resultsOf(document, schema).length > 0),
  View,
};
