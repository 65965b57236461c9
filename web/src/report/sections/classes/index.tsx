import type { Section } from "../../section.ts";

export const classes: Section = {
  id: "classes",
  title: "Classes",
  applies: () => false,
  View: () => null,
};
