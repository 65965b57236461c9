// One measurement in a cell: its value, its interval, and whether it is among the best of its
// column.
import { estimateLines, sidesText, valueText } from "../../estimate.ts";
import type { Measurement } from "../../schemas/described.ts";
import type { Standing } from "./grid.ts";

const signs: Record<Standing, { sign: string; says: string }> = {
  best: { sign: "●", says: "the best of the column" },
  alike: { sign: "○", says: "not significantly worse than the best of the column" },
  untested: { sign: "?", says: "not compared with the best of the column" },
  "": { sign: "", says: "" },
};

/** The text that is copied, such as "76.13 ±0.37". */
export function cellText(measurement: Measurement | undefined): string {
  if (measurement === undefined) return "";
  return [valueText(measurement), sidesText(measurement)].filter(Boolean).join(" ");
}

interface CellProps {
  measurement: Measurement | undefined;
  standing: Standing;
}

export function Cell({ measurement, standing }: CellProps) {
  if (measurement === undefined) return null;
  const { sign, says } = signs[standing];
  const lines = [...estimateLines(measurement), measurement.definition, says].filter(Boolean);
  return (
    <span class={`cell ${standing}`} title={lines.join("\n")}>
      {sign !== "" && (
        <span class="standing" role="img" aria-label={says}>
          {sign}
        </span>
      )}
      <span class="value">{valueText(measurement)}</span>
      <span class="half">{sidesText(measurement)}</span>
    </span>
  );
}
