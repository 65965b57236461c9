// The ranking with only the first k images of each pair, compared with the ranking with all.
import { min } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { Legend, linePath, type Mark, Marks, SeriesMark } from "../../chart/marks.tsx";
import { countText, estimateLines, intervalText, valueText } from "../../estimate.ts";
import type { AblationRow, MadRanking } from "../../schemas/described.ts";

const series = [
  { key: "srcc", text: "SRCC" },
  { key: "kendall", text: "Kendall" },
] as const;

export function Ablation({ ranking }: { ranking: MadRanking }) {
  const rows: AblationRow[] = [...ranking.ablation].sort((a, b) => a.k - b.k);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const values = rows.flatMap(({ srcc, kendall }) => [srcc.value ?? 1, kendall.value ?? 1]);
  const draw = (area: Area) => {
    const x = scaleLinear([0, last.k * 1.03], [0, area.width]);
    const y = scaleLinear([Math.min(0, min(values) ?? 0), 1.03], [area.height, 0]);
    const marks: Mark[] = series.flatMap(({ key, text }, index) =>
      rows.flatMap((row) => {
        const value = row[key].value;
        if (value === null) return [];
        const at = { x: x(row.k), y: y(value) };
        return [
          {
            key: `${key} ${row.k}`,
            title: `${text}, k = ${row.k}`,
            lines: [...estimateLines({ ...row[key], n: 0 }), `${countText(row.images)} images`],
            ...at,
            draw: (
              <>
                <circle class="hit" cx={at.x} cy={at.y} r={8} />
                <SeriesMark {...at} index={index} />
              </>
            ),
          },
        ];
      }),
    );
    return (
      <>
        <XAxis scale={x} area={area} title="images of each pair, k" />
        <YAxis scale={y} area={area} title="rank correlation" />
        {series.map(({ key }, index) => (
          <path
            key={key}
            class={`curve series-${index}`}
            d={linePath(
              rows.map((row) => {
                const value = row[key].value;
                return value === null ? null : [x(row.k), y(value)];
              }),
            )}
          />
        ))}
        <Marks label="Ablation over k" marks={marks} />
      </>
    );
  };
  return (
    <>
      <h3>With fewer images of each pair</h3>
      <p class="note">
        Agreement of the ranking by the first k images of each pair with the ranking by all images.
        If the curves are flat, more images would change little.
      </p>
      <Chart
        title="Ablation over k"
        height={320}
        maxWidth={720}
        controls={<Legend names={series.map(({ text }) => text)} />}
        table={() => ({
          columns: ["k", "images", "SRCC", "interval (SRCC)", "Kendall", "interval (Kendall)"],
          rows: rows.map(({ k, images, srcc, kendall }) => [
            k,
            countText(images),
            srcc.value === null ? (srcc.undefined ?? "–") : valueText(srcc),
            intervalText(srcc),
            kendall.value === null ? (kendall.undefined ?? "–") : valueText(kendall),
            intervalText(kendall),
          ]),
        })}
      >
        {draw}
      </Chart>
    </>
  );
}
