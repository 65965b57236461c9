// The number of images by their number of valid labels, with a bar for each data set.
import { max } from "d3-array";
import { scaleBand, scaleLinear } from "d3-scale";
import { BandAxis, YAxis } from "../../chart/axis.tsx";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import { countText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { LabelCount } from "./series.ts";
import { SetLegend } from "./set_legend.tsx";

export interface CountedSet {
  name: string;
  counts: LabelCount[];
}

/** The largest numbers of labels are omitted if no image has them. */
export function countedNames(sets: CountedSet[]): string[] {
  const names = once(sets.flatMap(({ counts }) => counts.map(({ name }) => name)));
  const used = new Set(
    sets.flatMap(({ counts }) => counts.filter(({ images }) => images > 0).map(({ name }) => name)),
  );
  const numbers = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(a) - Number(b));
  while (numbers.length > 0 && !used.has(numbers.at(-1) ?? "")) numbers.pop();
  const others = names.filter((name) => !/^\d+$/.test(name) && used.has(name));
  return [
    ...numbers,
    ...others.filter((name) => name !== "none"),
    ...others.filter((name) => name === "none"),
  ];
}

export function LabelCounts({ title, sets }: { title: string; sets: CountedSet[] }) {
  const names = countedNames(sets);
  const most = max(sets.flatMap(({ counts }) => counts.map(({ images }) => images))) ?? 1;
  const countOf = (set: CountedSet, name: string) =>
    set.counts.find((count) => count.name === name)?.images ?? 0;
  return (
    <Chart
      title={title}
      height={320}
      maxWidth={620}
      controls={<SetLegend names={sets.map(({ name }) => name)} />}
      margin={{ left: 70 }}
      table={() => ({
        columns: ["labels per image", ...sets.map(({ name }) => `${short(name, 40)}, images`)],
        rows: names.map((name) => [name, ...sets.map((set) => countText(countOf(set, name)))]),
      })}
    >
      {(area) => {
        const x = scaleBand(names, [0, area.width]).paddingInner(0.25).paddingOuter(0.15);
        const y = scaleLinear([0, most * 1.08], [area.height, 0]);
        const width = x.bandwidth() / Math.max(1, sets.length);
        const marks: Mark[] = names.flatMap((name) =>
          sets.map((set, index) => {
            const count = countOf(set, name);
            const left = (x(name) ?? 0) + index * width;
            return {
              key: `${index} ${name}`,
              title: `${short(set.name, 100)}, labels: ${name}`,
              lines: [`${countText(count)} images`],
              x: left,
              y: y(count),
              draw: (
                <>
                  <rect
                    class={`bar set-${index % 2} series-${index % 8}`}
                    x={left}
                    y={y(count)}
                    width={Math.max(1, width - 2)}
                    height={area.height - y(count)}
                  />
                  {width > 22 && (
                    <text
                      class="bar-count"
                      x={left + width / 2 - 1}
                      y={y(count) - 5}
                      text-anchor="middle"
                    >
                      {countText(count)}
                    </text>
                  )}
                </>
              ),
            };
          }),
        );
        return (
          <>
            <YAxis scale={y} area={area} title="images" left={-58} />
            <BandAxis scale={x} area={area} />
            <text class="axis-title" x={area.width / 2} y={area.height + 38} text-anchor="middle">
              valid labels per image
            </text>
            <Marks label={title} marks={marks} />
          </>
        );
      }}
    </Chart>
  );
}
