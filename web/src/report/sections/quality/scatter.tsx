// Any dimension against any other: the user's models with intervals, and the published ones behind.
import { useMemo } from "preact/hooks";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { Marks } from "../../chart/marks.tsx";
import { valueText } from "../../estimate.ts";
import { useAddress } from "../../state.ts";
import { type AxisChoice, axisChoices } from "./axes.ts";
import type { Chosen, Filter } from "./choice_state.ts";
import { Cloud } from "./cloud.tsx";
import { Check, Select } from "./controls.tsx";
import type { Gathered } from "./gather.ts";
import { type Point, pointsOf } from "./point.ts";
import { PointNames } from "./point_names.tsx";
import { axisFormat, bare, cloudOf, markOf, type Placing, scaleOf } from "./scatter_marks.tsx";
import { byTable, seriesBy, usefulTags } from "./series.ts";
import { SeriesLegend } from "./series_legend.tsx";

/** With more models, the user's models are also drawn as one path. */
const mostMarks = 400;
/** With more models, rings around models that no other beats are only drawn on request. */
const mostRings = 40;
/** With more points, names would overlap. */
const mostNames = 14;

interface ScatterProps {
  gathered: Gathered;
  filter: Filter;
  chosen: Chosen;
}

export function Scatter(props: ScatterProps) {
  const { gathered, filter, chosen } = props;
  const choices = useMemo(() => axisChoices(gathered.scores), [gathered]);
  const [xName, setX] = useAddress("quality.x", "accuracy");
  const [yName, setY] = useAddress("quality.y", "ood_robustness");
  const [behind, setBehind] = useAddress("quality.published", "yes");
  const [bars, setBars] = useAddress("quality.bars", gathered.backdrop.length > 0 ? "yes" : "no");
  const own = gathered.tables.filter(({ published }) => !published).length;
  const tags = usefulTags(gathered.tags, gathered.rows);
  const [rings, setRings] = useAddress(
    "quality.unbeaten",
    gathered.unbeaten.size > mostRings ? "no" : "yes",
  );
  const [colour, setColour] = useAddress("quality.colour", own > 1 ? byTable : (tags[0] ?? ""));
  const x = choices.find(({ name }) => name === xName) ?? (choices[0] as AxisChoice);
  const y = choices.find(({ name }) => name === yName) ?? (choices[3] as AxisChoice);
  const held = pointsOf(gathered.rows.filter(filter.holds), x, y);
  const published = behind === "yes" ? pointsOf(gathered.backdrop.filter(filter.holds), x, y) : [];
  const series = useMemo(
    () => seriesBy(colour, gathered.rows, gathered.tables),
    [colour, gathered],
  );
  const without = bars === "yes" ? held : held.map(({ row, ...at }) => bare(row, at));
  const options = choices.map(({ name, title }) => ({ value: name, text: title }));
  const controls = (
    <>
      <div class="quality-controls no-print">
        <Select label="across" value={x.name} options={options} set={setX} />
        <Select label="upwards" value={y.name} options={options} set={setY} />
        <Select
          label="colour and shape by"
          value={colour}
          options={[
            { value: "", text: "nothing" },
            ...(own > 1 ? [{ value: byTable, text: "table" }] : []),
            ...tags.map((tag) => ({ value: tag, text: tag })),
          ]}
          set={setColour}
        />
        <Check label="error bars" on={bars === "yes"} set={(on) => setBars(on ? "yes" : "no")} />
        {gathered.unbeaten.size > 0 && (
          <Check
            label={`rings around the ${gathered.unbeaten.size} that no other model beats`}
            on={rings === "yes"}
            set={(on) => setRings(on ? "yes" : "no")}
          />
        )}
        {gathered.backdrop.length > 0 && (
          <Check
            label={`${gathered.backdrop.length} published models behind`}
            on={behind === "yes"}
            set={(on) => setBehind(on ? "yes" : "no")}
          />
        )}
      </div>
      <SeriesLegend
        series={series}
        unbeaten={rings === "yes" && held.some(({ row }) => gathered.unbeaten.has(row.key))}
        published={published.length > 0}
      />
    </>
  );
  const draw = (area: Area) => {
    const everything = [...without, ...published.map(({ row, ...at }) => bare(row, at))];
    const placing: Placing = {
      x: scaleOf(everything, "x", x, [0, area.width]),
      y: scaleOf(everything, "y", y, [area.height, 0]),
      axes: [x, y],
      rings: rings === "yes",
    };
    const marks = without.length <= mostMarks;
    const { unbeaten, likeBest } = gathered;
    const look = { chosen, unbeaten, likeBest, small: gathered.rows.length > 60 };
    const press = ({ row }: Point) => chosen.toggle(row);
    return (
      <>
        <XAxis scale={placing.x} area={area} title={x.axis} {...axisFormat(x)} />
        <YAxis scale={placing.y} area={area} title={y.axis} {...axisFormat(y)} />
        {published.length > 0 && (
          <Cloud label="published" points={cloudOf(published, placing, press)} area={area} />
        )}
        {marks ? (
          <Marks
            label={`${y.title} against ${x.title}`}
            marks={without.map((point) => markOf(point, placing, series, look))}
          />
        ) : (
          <Cloud label="models" points={cloudOf(without, placing, press)} area={area} />
        )}
        {(without.length <= mostNames || chosen.rows.length > 0) && (
          <PointNames
            area={area}
            points={without
              .concat(published)
              .filter(
                ({ row }) => (without.length <= mostNames && !row.published) || chosen.has(row),
              )
              .map((point) => ({
                x: placing.x(point.x.value),
                y: placing.y(point.y.value),
                name: point.row.label,
              }))}
          />
        )}
      </>
    );
  };
  return (
    <Chart
      title={`${y.title} against ${x.title}`}
      summary={`${y.title} against ${x.title} of ${without.length} models`}
      height={460}
      controls={controls}
      table={() => ({
        columns: ["model", x.title, y.title],
        rows: held.map(({ row }) => [row.label, valueText(x.of(row)), valueText(y.of(row))]),
      })}
    >
      {draw}
    </Chart>
  );
}
