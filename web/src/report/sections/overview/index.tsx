import type { Section } from "../../section.ts";

export const overview: Section = {
  id: "overview",
  title: "Overview",
  applies: () => false,
  View: () => null,
};
