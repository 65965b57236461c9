// Correlated dimensions: Spearman's correlations of all pairs, with insignificant ones crossed out.
import { scaleBand } from "d3-scale";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import type { Sourced } from "../../document.ts";
import { estimateLines, intervalText, pText } from "../../estimate.ts";
import type { Correlation, QualityCorrelate } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { Select } from "./controls.tsx";
import { type Dimension, dimensionNamed, dimensions } from "./dimensions.ts";
import { useNarrow } from "./narrow.ts";
import { Notes } from "./notes.tsx";

/** The level for the adjusted p-values. */
export const significance = 0.05;

/** A text such as ".52" or "-.07", as in the literature on correlations. */
export function rhoText(rho: number | null): string {
  if (rho === null) return "–";
  const text = rho.toFixed(2).replace(/^(-?)0\./, "$1.");
  return text === "-.00" ? ".00" : text;
}

export function crossedOut({ rho, p_adjusted }: Correlation): boolean {
  return rho.value !== null && p_adjusted !== null && p_adjusted >= significance;
}

const adjustments = new Map([
  ["holm", "adjusted by Holm's method"],
  ["bh", "adjusted by Benjamini and Hochberg's method"],
  ["none", "not adjusted"],
]);

export function Correlations({ results }: { results: Sourced<QualityCorrelate>[] }) {
  const [which, setWhich] = useAddress("quality.correlations", "0");
  const [group, setGroup] = useAddress("quality.group", "");
  const result = (results[Number(which)] ?? results[0])?.result;
  if (result === undefined) return null;
  const one = result.groups?.find(({ value }) => value === group);
  const pairs = one?.pairs ?? result.pairs;
  const models = one?.models ?? result.models;
  return (
    <>
      <h3>Correlations of the dimensions</h3>
      <div class="quality-controls no-print">
        {results.length > 1 && (
          <Select
            label="correlations of"
            value={which}
            options={results.map(({ source, result: { models: n } }, index) => ({
              value: String(index),
              text: `${source} (${n} models)`,
            }))}
            set={setWhich}
          />
        )}
        {result.groups !== undefined && (
          <Select
            label={result.by ?? "group"}
            value={one === undefined ? "" : group}
            options={[
              { value: "", text: `all (${result.models})` },
              ...result.groups.map((g) => ({ value: g.value, text: `${g.value} (${g.models})` })),
            ]}
            set={setGroup}
          />
        )}
      </div>
      <Matrix pairs={pairs} title={`Spearman's correlation over ${models} models`} />
      <p class="quality-note">
        Crossed out: p is {significance} or more, {adjustments.get(result.adjust) ?? result.adjust}.
        A higher calibration error and more parameters are worse.
      </p>
      <Notes notes={[...result.notes, ...result.warnings]} />
    </>
  );
}

/** The compared dimensions in their order, followed by other columns, which were named later. */
export function comparedIn(pairs: Correlation[]): Dimension[] {
  const named = new Set(pairs.flatMap(({ x, y }) => [y, x]));
  const others = [...named].filter((name) => !dimensions.some((one) => one.name === name));
  return [...dimensions.filter(({ name }) => named.has(name)), ...others.map(dimensionNamed)];
}

function Matrix({ pairs, title }: { pairs: Correlation[]; title: string }) {
  const narrow = useNarrow();
  const shown = comparedIn(pairs);
  const columns = shown.slice(0, -1);
  const lines = shown.slice(1);
  const titleOf = (name: string) => {
    const { title: full, short } = dimensionNamed(name);
    return narrow ? short : full.replace(" (millions)", "");
  };
  return (
    <Chart
      title={title}
      height={narrow ? 340 : 440}
      margin={{ left: narrow ? 48 : 170, bottom: narrow ? 30 : 34, top: 4, right: 4 }}
      maxWidth={920}
      table={() => ({
        columns: ["dimension", "and", "rho", "interval", "p", "adjusted p"],
        rows: pairs.map(({ x, y, rho, p, p_adjusted }) => [
          dimensionNamed(y).title,
          dimensionNamed(x).title,
          rhoText(rho.value),
          intervalText(rho),
          p === null ? "" : pText(p),
          p_adjusted === null ? "" : pText(p_adjusted),
        ]),
      })}
    >
      {(area) => {
        const x = scaleBand(
          columns.map(({ name }) => name),
          [0, area.width],
        ).padding(0.04);
        const y = scaleBand(
          lines.map(({ name }) => name),
          [0, area.height],
        ).padding(0.04);
        return (
          <>
            <g class="axis" aria-hidden="true">
              {lines.map(({ name }) => (
                <text
                  key={name}
                  x={-8}
                  y={(y(name) ?? 0) + y.bandwidth() / 2}
                  dy="0.32em"
                  text-anchor="end"
                >
                  {titleOf(name)}
                </text>
              ))}
              {columns.map(({ name, short }) => (
                <text
                  key={name}
                  x={(x(name) ?? 0) + x.bandwidth() / 2}
                  y={area.height + 18}
                  text-anchor="middle"
                >
                  {short}
                </text>
              ))}
            </g>
            <Marks label={title} marks={pairs.flatMap((pair) => cellOf(pair, shown, x, y) ?? [])} />
          </>
        );
      }}
    </Chart>
  );
}

type Bands = ReturnType<typeof scaleBand<string>>;

function cellOf(pair: Correlation, shown: Dimension[], x: Bands, y: Bands): Mark | null {
  // Below the diagonal, the row is the later dimension.
  const order = (name: string) => shown.findIndex((one) => one.name === name);
  const [column, line] = order(pair.x) < order(pair.y) ? [pair.x, pair.y] : [pair.y, pair.x];
  const left = x(column);
  const top = y(line);
  if (left === undefined || top === undefined) return null;
  const [width, height] = [x.bandwidth(), y.bandwidth()];
  const rho = pair.rho.value;
  const strength = Math.round(Math.min(1, Math.abs(rho ?? 0)) * 60);
  const colour = (rho ?? 0) < 0 ? "var(--series-1)" : "var(--series-0)";
  const out = crossedOut(pair);
  return {
    key: `${line} ${column}`,
    x: left + width / 2,
    y: top + height / 2,
    title: `${dimensionNamed(line).title} and ${dimensionNamed(column).title}`,
    lines: [
      ...estimateLines(pair.rho),
      ...(pair.p === null ? [] : [`p ${pText(pair.p)}`]),
      ...(pair.p_adjusted === null ? [] : [`adjusted p ${pText(pair.p_adjusted)}`]),
      ...(out ? ["not significant"] : []),
    ],
    draw: (
      <g class="quality-cell">
        <rect
          x={left}
          y={top}
          width={width}
          height={height}
          style={{ fill: `color-mix(in oklab, ${colour} ${strength}%, var(--surface))` }}
        />
        {out && (
          <path
            class="quality-cross"
            d={`M${left} ${top}l${width} ${height}M${left + width} ${top}l${-width} ${height}`}
          />
        )}
        <text x={left + width / 2} y={top + height / 2} dy="0.32em" text-anchor="middle">
          {rhoText(rho)}
        </text>
      </g>
    ),
  };
}
