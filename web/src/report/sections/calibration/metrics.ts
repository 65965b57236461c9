// The measurements of calibration, and their names in a plot.
import { numberText } from "../../estimate.ts";
import type { Measurement, ReliabilityBin } from "../../schemas/described.ts";

const metrics = [
  "ece",
  "ace",
  "calibration_error",
  "class_wise_ece",
  "nll",
  "brier",
  "overconfidence",
  "confidence",
];

/**
 * Measurements in the order of this list, then others. There is one for each definition and
 * parameters.
 */
export function calibrationMetrics(measurements: Measurement[]): Measurement[] {
  return metrics.flatMap((metric) =>
    measurements.filter((entry) => entry.metric === metric && !entry.subgroup),
  );
}

/** "ece", or with the definition if a metric has several, such as "ace.class_wise". */
export function metricKey(measurement: Measurement): string {
  const parameters = Object.entries(measurement.parameters ?? {});
  const bins = parameters
    .filter(([name]) => name === "bins")
    .map(([, value]) => ` (${value} bins)`);
  return `${measurement.definition}${bins.join("")}`;
}

/** The value of a perfectly calibrated classifier on the same images. */
export function nullText(measurement: Measurement): string {
  const drawn = measurement.calibrated_null;
  if (drawn === undefined) return "";
  const half =
    measurement.interval === undefined
      ? 0
      : (measurement.interval.high - measurement.interval.low) / 2;
  return numberText(drawn.mean, half, measurement.unit);
}

export function binName(bin: ReliabilityBin): string {
  const percent = (value: number) => numberText(value, 0.05, "proportion");
  return bin.low === bin.high
    ? `confidence of exactly ${percent(bin.low)} %`
    : `confidence ${percent(bin.low)} – ${percent(bin.high)} %`;
}

/** Whether a bin's mean confidence is above its accuracy, below it, or unknown. */
export function sideOf(bin: ReliabilityBin): "over" | "under" | "none" {
  const accuracy = bin.accuracy.value;
  if (accuracy === null || bin.confidence === null) return "none";
  return bin.confidence > accuracy ? "over" : "under";
}
