import "../../../style/report/parts.css";
import "../../../style/report/data.css";
import { resultsOf } from "../../document.ts";
import type { InspectResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const data: Section = {
  id: "data",
  title: "Data",
  applies: (document) => resultsOf<InspectResult>(document, "assay.inspect").length > 0,
  View,
};
