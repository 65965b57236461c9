import "../../../style/report/parts.css";
import "../../../style/report/slices.css";
import type { Section } from "../../section.ts";
import { slicedModels } from "./found.ts";
import { View } from "./view.tsx";

export const slices: Section = {
  id: "slices",
  title: "Slices",
  applies: (document) => slicedModels(document).length > 0,
  View,
};
