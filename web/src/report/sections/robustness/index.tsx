import type { Section } from "../../section.ts";

export const robustness: Section = {
  id: "robustness",
  title: "Robustness",
  applies: () => false,
  View: () => null,
};
