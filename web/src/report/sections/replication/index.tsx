import "../../../style/report/parts.css";
import "../../../style/report/replication.css";
import { resultsOf } from "../../document.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const replication: Section = {
  id: "replication",
  title: "Replication",
  applies: (document) => resultsOf(document, "assay.replicate_adjust").length > 0,
  View,
};
