// The nine quality dimensions, with their texts and units.
import type { Unit } from "../../estimate.ts";

export interface Dimension {
  name: string;
  title: string;
  /** A short name for narrow columns. */
  short: string;
  higherIsBetter: boolean;
  unit: Unit;
  /** Whether values span orders of magnitude. */
  logarithmic?: boolean;
}

const proportion = "proportion" as const;

/** The dimensions in the order of the engine's draws. */
export const dimensions: Dimension[] = [
  { name: "accuracy", title: "accuracy", short: "acc.", higherIsBetter: true, unit: proportion },
  {
    name: "adversarial_robustness",
    title: "adversarial robustness",
    short: "adv.",
    higherIsBetter: true,
    unit: "number",
  },
  {
    name: "c_robustness",
    title: "C-robustness",
    short: "C",
    higherIsBetter: true,
    unit: "number",
  },
  {
    name: "ood_robustness",
    title: "OOD robustness",
    short: "OOD",
    higherIsBetter: true,
    unit: "number",
  },
  {
    name: "calibration_error",
    title: "calibration error",
    short: "cal.",
    higherIsBetter: false,
    unit: "number",
  },
  {
    name: "class_balance",
    title: "class balance",
    short: "bal.",
    higherIsBetter: true,
    unit: "number",
  },
  {
    name: "object_focus",
    title: "object focus",
    short: "focus",
    higherIsBetter: true,
    unit: "number",
  },
  { name: "shape_bias", title: "shape bias", short: "shape", higherIsBetter: true, unit: "number" },
  {
    name: "parameters",
    title: "parameters (millions)",
    short: "par.",
    higherIsBetter: false,
    unit: "number",
    logarithmic: true,
  },
];

const byName = new Map(dimensions.map((dimension) => [dimension.name, dimension]));

/** A dimension that this page does not know is shown by its name. */
export function dimensionNamed(name: string): Dimension {
  return (
    byName.get(name) ?? { name, title: name, short: name, higherIsBetter: true, unit: "number" }
  );
}

export function directionText({ higherIsBetter }: Dimension): string {
  return higherIsBetter ? "higher is better" : "lower is better";
}
