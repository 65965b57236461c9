import "../../../style/report/parts.css";
import "../../../style/report/provenance.css";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const provenance: Section = {
  id: "provenance",
  title: "Provenance",
  applies: () => true,
  View,
};
