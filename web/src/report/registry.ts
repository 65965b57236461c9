// The sections of a report, in reading order. A section is a function of the document. It needs one
// schema or two. A report without them does not have the section.

import type { Section } from "./section.ts";
import { calibration } from "./sections/calibration/index.tsx";
import { classes } from "./sections/classes/index.tsx";
import { cost } from "./sections/cost/index.tsx";
import { data } from "./sections/data/index.tsx";
import { disagreement } from "./sections/disagreement/index.tsx";
import { mad } from "./sections/mad/index.tsx";
import { multilabel } from "./sections/multilabel/index.tsx";
import { overTime } from "./sections/over_time/index.tsx";
import { overview } from "./sections/overview/index.tsx";
import { provenance } from "./sections/provenance/index.tsx";
import { quality } from "./sections/quality/index.tsx";
import { replication } from "./sections/replication/index.tsx";
import { robustness } from "./sections/robustness/index.tsx";
import { slices } from "./sections/slices/index.tsx";

export const sections: Section[] = [
  overview,
  data,
  quality,
  multilabel,
  calibration,
  classes,
  slices,
  disagreement,
  robustness,
  mad,
  replication,
  overTime,
  cost,
  provenance,
];
