import type { Section } from "../../section.ts";

export const mad: Section = {
  id: "mad",
  title: "MAD competition",
  applies: () => false,
  View: () => null,
};
