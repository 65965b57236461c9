import type { Section } from "../../section.ts";

export const calibration: Section = {
  id: "calibration",
  title: "Calibration",
  applies: () => false,
  View: () => null,
};
