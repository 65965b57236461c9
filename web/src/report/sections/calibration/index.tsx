import "../../../style/report/parts.css";
import "../../../style/report/calibration.css";
import { resultsOf } from "../../document.ts";
import { hasReliability } from "../../parts/stores.ts";
import type { ScoresResult } from "../../schemas/described.ts";
import type { Section } from "../../section.ts";
import { View } from "./view.tsx";

export const calibration: Section = {
  id: "calibration",
  title: "Calibration",
  applies: (document) =>
    resultsOf<ScoresResult>(document, "assay.scores").some(({ result }) =>
      result.stores.some(hasReliability),
    ),
  View,
};
