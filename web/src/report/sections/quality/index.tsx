import type { Section } from "../../section.ts";

export const quality: Section = {
  id: "quality",
  title: "Quality dimensions",
  applies: () => false,
  View: () => null,
};
