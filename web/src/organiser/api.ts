// The data and requests of the organiser's page (docs/labelling.md).

import type { Task } from "../shared/api";

export interface Estimate {
  value: number | null;
  low?: number | null;
  high?: number | null;
  n: number;
  reason?: string;
}
export interface PersonStatus {
  /// 0 for answers by an annotator without a link.
  id: number;
  name: string;
  revoked: boolean;
  blocked: boolean;
  here: boolean;
  answers: number;
  yes: number;
  cannot_say: number;
  holding: number;
  seconds_per_screen: number | null;
  gold: Estimate;
  agreement: Estimate;
  findings: string[];
  link?: string | undefined;
}
export interface ImageProblem {
  question: string;
  image: string;
  path: string;
  why: string;
}
export interface ServiceStatus {
  title: string;
  task: Task;
  folder: string;
  questions: number;
  known: number;
  settled: number;
  open: number;
  untouched: number;
  unclear: number;
  skipped: number;
  answers: number;
  answers_left: number;
  hours_left: number | null;
  agreement: Estimate;
  paused: boolean;
  people: PersonStatus[];
  problems: ImageProblem[];
  outlook: string[];
  warnings: string[];
  /// The time since this was counted.
  seconds_old?: number;
}
export interface PersonLink {
  id: number;
  name: string;
  link?: string;
  revoked: boolean;
}
