import type { Section } from "../../section.ts";

export const replication: Section = {
  id: "replication",
  title: "Replication",
  applies: () => false,
  View: () => null,
};
