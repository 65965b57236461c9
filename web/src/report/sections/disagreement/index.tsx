import type { Section } from "../../section.ts";

export const disagreement: Section = {
  id: "disagreement",
  title: "Disagreement",
  applies: () => false,
  View: () => null,
};
