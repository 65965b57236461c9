import type { Section } from "../../section.ts";

export const multilabel: Section = {
  id: "multilabel",
  title: "Multi-label",
  applies: () => false,
  View: () => null,
};
