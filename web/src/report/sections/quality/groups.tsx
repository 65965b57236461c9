// Two groups of models compared, by differences in standard deviations with intervals.
import { extent } from "d3-array";
import { scaleBand, scaleLinear } from "d3-scale";
import { XAxis } from "../../chart/axis.tsx";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import type { Sourced } from "../../document.ts";
import { countText, intervalText, pText, signedText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { GroupDifference, QualityGroups } from "../../schemas/described.ts";
import { significance } from "./correlations.tsx";
import { dimensionNamed } from "./dimensions.ts";
import { useNarrow } from "./narrow.ts";
import { Notes } from "./notes.tsx";

export function Groups({ results }: { results: Sourced<QualityGroups>[] }) {
  return (
    <>
      <h3>Groups of models compared</h3>
      {results.map(({ source, result }, index) => (
        <Comparison key={index} source={source} result={result} />
      ))}
    </>
  );
}

function selectorText(selectors: string[] | undefined, models: number, which: string): string {
  const text = selectors === undefined ? which : selectors.join(" and ");
  return `${short(text, 120)} (${countText(models)} models)`;
}

function linesOf(one: GroupDifference): string[] {
  const { first, second, difference, effect, p, p_holm } = one;
  const lines = [
    `difference of means ${signedText(difference)} (${intervalText(difference)})`,
    `means ${valueText(first)} and ${valueText(second)}`,
    `effect ${signedText(effect)} standard deviations (${intervalText(effect)})`,
    `p ${pText(p)}, by Holm ${pText(p_holm)}`,
  ];
  if (one.p_student !== undefined)
    lines.push(`Student's p ${pText(one.p_student)} ${"*".repeat(one.stars ?? 0)}`);
  return lines;
}

function Comparison({ source, result }: Sourced<QualityGroups>) {
  const narrow = useNarrow();
  const first = selectorText(result.first, result.first_models, "first group");
  const second = selectorText(result.second, result.second_models, "second group");
  const title = `${second} against ${first}${result.paired ? ", in pairs" : ""}`;
  return (
    <>
      <Chart
        title={title}
        height={result.dimensions.length * 30 + 64}
        margin={{ left: narrow ? 52 : 190 }}
        maxWidth={900}
        table={() => ({
          columns: [
            "dimension",
            "first",
            "second",
            "difference",
            "interval",
            "effect",
            "interval of the effect",
            "p",
            "p (Holm)",
            "stars",
          ],
          rows: result.dimensions.map((one) => [
            dimensionNamed(one.dimension).title,
            valueText(one.first),
            valueText(one.second),
            signedText(one.difference),
            intervalText(one.difference),
            signedText(one.effect),
            intervalText(one.effect),
            pText(one.p),
            pText(one.p_holm),
            "*".repeat(one.stars ?? 0),
          ]),
        })}
      >
        {(area) => {
          const drawn = result.dimensions.flatMap(({ effect }) => {
            const { value, interval } = effect;
            return value === null ? [] : [value, interval?.low ?? value, interval?.high ?? value];
          });
          const [low = 0, high = 0] = extent([0, ...drawn]);
          const x = scaleLinear().domain([low, high]).nice().range([0, area.width]);
          const y = scaleBand(
            result.dimensions.map(({ dimension }) => dimension),
            [0, area.height],
          );
          const at = (name: string) => (y(name) ?? 0) + y.bandwidth() / 2;
          return (
            <>
              <XAxis scale={x} area={area} title="difference in standard deviations" />
              <line class="quality-zero" x1={x(0)} x2={x(0)} y2={area.height} />
              <g class="axis" aria-hidden="true">
                {result.dimensions.map(({ dimension }) => (
                  <text key={dimension} x={-9} y={at(dimension)} dy="0.32em" text-anchor="end">
                    {narrow ? dimensionNamed(dimension).short : dimensionNamed(dimension).title}
                  </text>
                ))}
              </g>
              <Marks
                label={title}
                marks={result.dimensions.flatMap((one): Mark[] => {
                  const { value, interval } = one.effect;
                  if (value === null) return [];
                  const py = at(one.dimension);
                  return [
                    {
                      key: one.dimension,
                      x: x(value),
                      y: py,
                      title: dimensionNamed(one.dimension).title,
                      lines: linesOf(one),
                      draw: (
                        <g
                          class={`quality-point series-0${one.p_holm < significance ? "" : " quality-hollow"}`}
                        >
                          {interval && (
                            <Whisker
                              level
                              x={x(value)}
                              y={py}
                              low={x(interval.low)}
                              high={x(interval.high)}
                            />
                          )}
                          <SeriesMark x={x(value)} y={py} index={0} size={5} />
                        </g>
                      ),
                    },
                  ];
                })}
              />
            </>
          );
        }}
      </Chart>
      <p class="quality-note">
        <bdi class="quality-name">{source}</bdi>. Right of the line: higher in {second}. Filled: p
        is below {significance} by Holm's method over the dimensions.
      </p>
      <Notes notes={[...result.notes, ...result.warnings]} />
    </>
  );
}
