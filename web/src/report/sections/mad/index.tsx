import "../../../style/report/parts.css";
import "../../../style/report/mad.css";
import { resultsOf } from "../../document.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

const schemas = ["assay.mad", "assay.mad_status", "assay.mad_ranking"];

export const mad: Section = {
  id: "mad",
  title: "MAD competition",
  applies: (document) => schemas.some((schema) => resultsOf(document, schema).length > 0),
  View,
};
