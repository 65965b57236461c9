import "../../../style/report/over_time.css";
import "../../../style/report/parts.css";
import type { Section } from "../../section.ts";
import { choicesFor, measurementsOf } from "./points.ts";
import { familiesOf } from "./runs.ts";
import { View } from "./view.tsx";

export const overTime: Section = {
  id: "over_time",
  title: "Over time",
  applies: (document) => {
    const measurements = measurementsOf(document);
    const families = familiesOf(
      document,
      measurements.map(({ model }) => model),
    );
    return families.length > 0 && choicesFor(families, measurements).datasets.length > 0;
  },
  View,
};
