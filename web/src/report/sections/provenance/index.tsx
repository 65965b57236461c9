import type { Section } from "../../section.ts";

export const provenance: Section = {
  id: "provenance",
  title: "Provenance",
  applies: () => false,
  View: () => null,
};
