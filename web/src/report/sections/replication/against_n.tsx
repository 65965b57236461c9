// The estimates of each method with fewer annotators, against 1/n, whose left end is an infinite
// number, or against n. A bias that falls with 1/n is a straight line on the former.
import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { Legend, linePath, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import {
  type Estimate,
  estimateLines,
  intervalText,
  shown,
  signedText,
  unitText,
  valueText,
} from "../../estimate.ts";

export interface NumberOfAnnotators {
  annotators: number;
  estimate: Estimate;
}

interface AgainstProps {
  title: string;
  rows: Map<string, NumberOfAnnotators[]>;
  inverse: boolean;
  /** Whether values are differences. Then values have signs, and 0 has a line. */
  difference: boolean;
  /** The value without an adjustment, for every number of annotators. */
  measured: Estimate;
  /** The methods in the study's order, which determines their marks. */
  methods: string[];
  /** The method whose intervals are drawn. The table has those of all. */
  intervals: string;
}

export function AgainstAnnotators(props: AgainstProps) {
  const { title, rows, inverse, difference, measured, intervals } = props;
  const methods = props.methods.filter((method) => rows.has(method));
  const all = [...rows.values()].flat();
  const unit = all[0]?.estimate.unit;
  const place = (annotators: number) => (inverse ? 1 / annotators : annotators);
  const text = difference ? signedText : valueText;
  const values = [...rows].flatMap(([method, list]) =>
    list.flatMap(({ estimate: { value, interval } }) => {
      if (value === null) return [];
      return method === intervals && interval !== undefined
        ? [value, interval.low, interval.high]
        : [value];
    }),
  );
  if (measured.value !== null) values.push(measured.value);
  const [low = 0, high = 1] = extent(difference ? [0, ...values] : values);
  const room = (high - low || 0.1) * 0.05;
  const most = Math.max(...all.map(({ annotators }) => place(annotators)));
  const draw = (area: Area) => {
    const x = scaleLinear([0, most * 1.04], [0, area.width]);
    const y = scaleLinear([shown(low - room, unit), shown(high + room, unit)], [area.height, 0]);
    const up = (value: number) => y(shown(value, unit));
    const across = (annotators: number) => x(place(annotators));
    const seriesOf = (method: string) => props.methods.indexOf(method) + 1;
    const marks: Mark[] = methods.flatMap((method) =>
      (rows.get(method) ?? []).flatMap(({ annotators, estimate }) => {
        const { value, interval } = estimate;
        if (value === null) return [];
        const at = across(annotators);
        return [
          {
            key: `${method} ${annotators}`,
            title: `${method}, ${annotators} ${annotators === 1 ? "annotator" : "annotators"}`,
            lines: estimateLines(estimate),
            x: at,
            y: up(value),
            draw: (
              <g class={`series-${seriesOf(method) % 8}`}>
                <circle class="hit" cx={at} cy={up(value)} r={8} />
                {interval !== undefined && method === intervals && (
                  <g class="series-ink faint">
                    <Whisker x={at} y={0} low={up(interval.low)} high={up(interval.high)} />
                  </g>
                )}
                <SeriesMark x={at} y={up(value)} index={seriesOf(method)} size={3.5} />
              </g>
            ),
          },
        ];
      }),
    );
    return (
      <>
        <XAxis scale={x} area={area} title={inverse ? "1 / annotators" : "annotators"} />
        <YAxis scale={y} area={area} title={`${title}${unitText(unit) && `, ${unitText(unit)}`}`} />
        {difference && <path class="zero-line" d={`M0 ${up(0)}H${area.width}`} />}
        {measured.value !== null && (
          <path class="curve thin series-0" d={`M0 ${up(measured.value)}H${area.width}`} />
        )}
        {methods.map((method) => (
          <path
            key={method}
            class={`curve thin series-${seriesOf(method) % 8}`}
            d={linePath(
              (rows.get(method) ?? []).map(({ annotators, estimate }) =>
                estimate.value === null ? null : [across(annotators), up(estimate.value)],
              ),
            )}
          />
        ))}
        <Marks label={title} marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={400}
      maxWidth={900}
      controls={<Legend names={["as measured", ...props.methods]} />}
      table={() => ({
        columns: [
          "method",
          "annotators",
          `value${unitText(unit) && `, ${unitText(unit)}`}`,
          "interval",
        ],
        rows: methods.flatMap((method) =>
          (rows.get(method) ?? []).map(({ annotators, estimate }) => [
            method,
            annotators,
            estimate.value === null ? (estimate.undefined ?? "–") : text(estimate),
            intervalText(estimate),
          ]),
        ),
      })}
    >
      {draw}
    </Chart>
  );
}
