// The measures of a model's cost, as numbers and as texts.
import type { ModelCost } from "../../schemas/described.ts";

export interface CostMeasure {
  key: string;
  name: string;
  of: (model: ModelCost) => number | null;
  text: (value: number) => string;
  /** The ends of a bar are quartiles of repeated runs, which are not an interval of the median. */
  spread?: (model: ModelCost) => [number, number] | null;
}

/** For example, 4089284608 becomes "4.09 G". */
export function countedText(value: number): string {
  const steps: [number, string][] = [
    [1e12, " T"],
    [1e9, " G"],
    [1e6, " M"],
    [1e3, " k"],
  ];
  const step = steps.find(([size]) => value >= size);
  return step === undefined
    ? String(value)
    : `${Number((value / step[0]).toPrecision(3))}${step[1]}`;
}

export function bytesText(value: number): string {
  const text = countedText(value);
  return text.endsWith(" k") ? `${text}B` : /[TGM]$/.test(text) ? `${text}B` : `${text} B`;
}

const latency = (model: ModelCost) => model.measured?.latency_ms ?? null;

export const measures: CostMeasure[] = [
  {
    key: "macs",
    name: "multiply-accumulates per image",
    of: ({ macs_per_image }) => macs_per_image,
    text: countedText,
  },
  { key: "parameters", name: "parameters", of: ({ parameters }) => parameters, text: countedText },
  {
    key: "latency",
    name: "latency, ms",
    of: (model) => latency(model)?.median ?? null,
    text: (value) => String(Number(value.toPrecision(3))),
    spread: (model) => {
      const found = latency(model);
      return found === null ? null : [found.lower_quartile, found.upper_quartile];
    },
  },
  {
    key: "activations",
    name: "peak of activations",
    of: ({ peak_activation_bytes }) => peak_activation_bytes,
    text: bytesText,
  },
  { key: "file", name: "file", of: ({ file_bytes }) => file_bytes, text: bytesText },
];
