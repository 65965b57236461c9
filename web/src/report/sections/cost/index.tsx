import type { Section } from "../../section.ts";

export const cost: Section = {
  id: "cost",
  title: "Cost",
  applies: () => false,
  View: () => null,
};
