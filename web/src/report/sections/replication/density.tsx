// The distribution of selection rates in both sets from the densities of a method, and the models'
// accuracy at each rate. Next to it are the readings: the number of images that each number of
// annotators selects.
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath } from "../../chart/marks.tsx";
import { numberText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { AdjustMethod } from "../../schemas/described.ts";

interface Curve {
  name: string;
  values: number[];
  /** The ends of the intervals at the same rates. */
  low?: number[];
  high?: number[];
}

interface CurvesProps {
  title: string;
  rates: number[];
  curves: Curve[];
  axis: string;
  /** Whether values are proportions, which are drawn in percent over the full range. */
  proportion?: boolean;
}

/** Most images have rates near 1. With a log-odds axis, both ends are readable. */
export const logOdds = (rate: number) => Math.log(rate / (1 - rate));

/** The rate of a log-odds in percent, with enough digits to distinguish it from 0 and 100. */
export function rateText(odds: number): string {
  const rate = 1 / (1 + Math.exp(-odds));
  const rest = Math.min(rate, 1 - rate);
  return `${(100 * rate).toFixed(rest > 0.05 ? 0 : rest > 0.005 ? 1 : 2)} %`;
}

const lines = ["", "7 4", "2 3", "9 3 2 3"];

function Curves({ title, rates, curves, axis, proportion }: CurvesProps) {
  const scale = proportion === true ? 100 : 1;
  const most = proportion === true ? 100 : (max(curves, ({ values }) => max(values) ?? 0) ?? 1);
  const draw = (area: Area) => {
    const ends = [rates[0] ?? 0.5, rates.at(-1) ?? 0.5].map(logOdds);
    const x = scaleLinear(ends, [0, area.width]);
    const path = (values: number[]) =>
      linePath(
        rates.map((rate, at) => {
          const value = values[at];
          return value === undefined ? null : [x(logOdds(rate)), y(scale * value)];
        }),
      );
    const y = scaleLinear([0, most], [area.height, 0]).nice();
    return (
      <>
        <XAxis
          scale={x}
          area={area}
          ticks={8}
          format={rateText}
          title="selection rate, by its log-odds"
        />
        <YAxis scale={y} area={area} title={axis} />
        {curves.map(({ name, values }, index) => (
          <path
            key={name}
            class={`curve series-${index % 8}`}
            stroke-dasharray={lines[index % lines.length]}
            d={path(values)}
          />
        ))}
        {curves.flatMap(({ name, low, high }, index) =>
          low === undefined || high === undefined
            ? []
            : [
                <path key={`${name} low`} class={`curve end series-${index % 8}`} d={path(low)} />,
                <path
                  key={`${name} high`}
                  class={`curve end series-${index % 8}`}
                  d={path(high)}
                />,
              ],
        )}
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={340}
      maxWidth={620}
      controls={<CurveLegend names={curves.map(({ name }) => name)} />}
      table={() => ({
        columns: ["selection rate", ...curves.map(({ name }) => short(name, 60))],
        rows: rates.map((rate, at) => [
          rate.toFixed(4),
          ...curves.map(({ values, low, high }) => {
            const text = (value: number | undefined) => {
              if (value === undefined) return "";
              return proportion === true
                ? numberText(value, 0.005, "proportion")
                : value.toFixed(3);
            };
            const value = text(values[at]);
            if (low === undefined || high === undefined) return value;
            return `${value} (${text(low[at])} to ${text(high[at])})`;
          }),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}

function CurveLegend({ names }: { names: string[] }) {
  return (
    <ul class="legend">
      {names.map((name, index) => (
        <li key={name}>
          <svg width="30" height="14" aria-hidden="true">
            <path
              class={`curve series-${index % 8}`}
              stroke-dasharray={lines[index % lines.length]}
              d="M0 7H30"
            />
          </svg>
          <bdi>{short(name, 40)}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function Densities({ method, rates }: { method: AdjustMethod; rates: number[] }) {
  if (method.density === undefined) return null;
  const { original, replication } = method.density;
  const ofLogOdds = (values: number[]) =>
    values.map((value, at) => {
      const rate = rates[at] ?? 0;
      return value * rate * (1 - rate);
    });
  return (
    <Curves
      title={`Densities of selection rates, by ${method.id}`}
      rates={rates}
      axis="density of the log-odds"
      curves={[
        { name: "original", values: ofLogOdds(original) },
        { name: "replication", values: ofLogOdds(replication) },
      ]}
    />
  );
}

interface AccuracyCurvesProps {
  method: AdjustMethod;
  rates: number[];
  models: { name: string; index: number }[];
}

export function AccuracyCurves({ method, rates, models }: AccuracyCurvesProps) {
  const curves = models.flatMap(({ name, index }) => {
    const classifier = method.classifiers?.[index];
    const values = classifier?.accuracy_at_rate;
    if (values === undefined) return [];
    const low = classifier?.accuracy_at_rate_low;
    const high = classifier?.accuracy_at_rate_high;
    return [{ name, values, ...(low && { low }), ...(high && { high }) }];
  });
  if (curves.length === 0) return null;
  return (
    <Curves
      title={`Accuracy at a selection rate, by ${method.id}`}
      rates={rates}
      axis="accuracy, %"
      curves={curves}
      proportion
    />
  );
}
