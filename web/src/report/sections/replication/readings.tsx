// The readings: the proportion of images that 0, 1, ... of all annotators select, in both sets,
// with those of the fitted densities. Next to them is the models' mean accuracy on those images.
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { Legend, linePath, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { type Estimate, estimateLines, intervalText, valueText } from "../../estimate.ts";
import type { ReadingsRow, ReplicateFigures } from "../../schemas/described.ts";

const sets = ["original", "replication"] as const;

interface ReadingsProps {
  title: string;
  axis: string;
  row: ReadingsRow;
  of: (entry: { images: Estimate; accuracy: Estimate }) => Estimate;
  fitted?: ReplicateFigures["fitted_readings"] | undefined;
}

function ReadingsChart({ title, axis, row, of, fitted }: ReadingsProps) {
  const values = sets.flatMap((set) => row[set].map(of));
  const most = max(values, ({ value, interval }) => Math.max(value ?? 0, interval?.high ?? 0)) ?? 1;
  const draw = (area: Area) => {
    const x = scaleLinear([-0.6, row.annotators + 0.6], [0, area.width]);
    const y = scaleLinear([0, 100 * most], [area.height, 0]).nice();
    const marks: Mark[] = sets.flatMap((set, series) =>
      row[set].flatMap((entry, selections) => {
        const estimate = of(entry);
        if (estimate.value === null) return [];
        const at = x(selections) + (series === 0 ? -3 : 3);
        const up = y(100 * estimate.value);
        return [
          {
            key: `${set} ${selections}`,
            title: `${set}, ${selections} of ${row.annotators} select it`,
            lines: estimateLines(estimate),
            x: at,
            y: up,
            draw: (
              <g class={`series-${series}`}>
                <circle class="hit" cx={at} cy={up} r={8} />
                {estimate.interval !== undefined && (
                  <g class="series-ink faint">
                    <Whisker
                      x={at}
                      y={0}
                      low={y(100 * estimate.interval.low)}
                      high={y(100 * estimate.interval.high)}
                    />
                  </g>
                )}
                <SeriesMark x={at} y={up} index={series} size={3} />
              </g>
            ),
          },
        ];
      }),
    );
    return (
      <>
        <XAxis
          scale={x}
          area={area}
          title={`annotators of ${row.annotators} that select an image`}
        />
        <YAxis scale={y} area={area} title={axis} />
        {fitted !== undefined &&
          sets.map((set, series) => (
            <path
              key={set}
              class={`curve thin series-${series}`}
              d={linePath(fitted[set].map((value, selections) => [x(selections), y(100 * value)]))}
            />
          ))}
        <Marks label={title} marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={340}
      maxWidth={620}
      controls={<Legend names={[...sets]} />}
      table={() => ({
        columns: [
          "selections",
          ...sets.flatMap((set) => [`${set}, %`, `interval of ${set}`]),
          ...(fitted === undefined ? [] : sets.map((set) => `fitted, ${set}, %`)),
        ],
        rows: row.original.map((_, selections) => [
          selections,
          ...sets.flatMap((set) => {
            const entry = row[set][selections];
            const estimate: Estimate = entry === undefined ? { value: null } : of(entry);
            return [valueText(estimate), intervalText(estimate)];
          }),
          ...(fitted === undefined
            ? []
            : sets.map((set) => ((fitted[set][selections] ?? 0) * 100).toFixed(2))),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}

export function Readings({ figures }: { figures: ReplicateFigures | undefined }) {
  const row = figures?.readings.at(-1);
  if (row === undefined || figures === undefined) return null;
  const fits = figures.fitted_readings?.original.length === row.original.length;
  return (
    <div class="beside">
      <ReadingsChart
        title="Images by how many annotators select them"
        axis="images, %"
        row={row}
        of={({ images }) => images}
        fitted={fits ? figures.fitted_readings : undefined}
      />
      <ReadingsChart
        title="Mean accuracy on these images"
        axis="accuracy, %"
        row={row}
        of={({ accuracy }) => accuracy}
      />
    </div>
  );
}
