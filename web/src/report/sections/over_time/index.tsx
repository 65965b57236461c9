import type { Section } from "../../section.ts";

export const overTime: Section = {
  id: "over_time",
  title: "Over time",
  applies: () => false,
  View: () => null,
};
