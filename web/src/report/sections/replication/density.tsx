// How selection rates are spread in both sets, as the densities of a method say, and models'
// accuracy at them; beside it what was read: how many images so many annotators select.
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
}

interface CurvesProps {
  title: string;
  rates: number[];
  curves: Curve[];
  axis: string;
  /** Values are proportions, drawn in percent over all of their range. */
  proportion?: boolean;
}

const lines = ["", "7 4", "2 3", "9 3 2 3"];

function Curves({ title, rates, curves, axis, proportion }: CurvesProps) {
  const scale = proportion === true ? 100 : 1;
  const most = proportion === true ? 100 : (max(curves, ({ values }) => max(values) ?? 0) ?? 1);
  const draw = (area: Area) => {
    const x = scaleLinear([0, 1], [0, area.width]);
    const y = scaleLinear([0, most], [area.height, 0]).nice();
    return (
      <>
        <XAxis scale={x} area={area} ticks={5} title="selection rate" />
        <YAxis scale={y} area={area} title={axis} />
        {curves.map(({ name, values }, index) => (
          <path
            key={name}
            class={`curve series-${index % 8}`}
            stroke-dasharray={lines[index % lines.length]}
            d={linePath(
              rates.map((rate, at) => {
                const value = values[at];
                return value === undefined ? null : [x(rate), y(scale * value)];
              }),
            )}
          />
        ))}
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
          ...curves.map(({ values }) => {
            const value = values[at];
            if (value === undefined) return "";
            return proportion === true ? numberText(value, 0.005, "proportion") : value.toFixed(3);
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
  return (
    <Curves
      title={`Densities of selection rates, by ${method.id}`}
      rates={rates}
      axis="density"
      curves={[
        { name: "original", values: original },
        { name: "replication", values: replication },
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
    const values = method.classifiers?.[index]?.accuracy_at_rate;
    return values === undefined ? [] : [{ name, values }];
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
