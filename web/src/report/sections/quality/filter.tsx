// Which models are shown, by a part of the name and by tags.
import type { Filter } from "./choice_state.ts";
import { Select } from "./controls.tsx";
import type { Row } from "./tables.ts";

/** A tag with more values is searched by name instead of chosen from a list. */
const mostValues = 60;
const mostTags = 6;

interface FilterProps {
  filter: Filter;
  tags: string[];
  rows: Row[];
  shown: number;
}

export function FilterControls({ filter, tags, rows, shown }: FilterProps) {
  const lists = tags
    .map((tag) => ({
      tag,
      values: [...new Set(rows.flatMap((row) => row.tags.get(tag) ?? []))].sort(),
    }))
    .filter(({ values }) => values.length > 1 && values.length <= mostValues)
    .slice(0, mostTags);
  return (
    <fieldset class="quality-controls no-print">
      <legend>Models in plots and ranks</legend>
      <label class="quality-control">
        <span>name contains</span>
        <input
          type="search"
          value={filter.name}
          onInput={(event) => filter.setName(event.currentTarget.value)}
        />
      </label>
      {lists.map(({ tag, values }) => (
        <Select
          key={tag}
          label={tag}
          value={filter.tags.get(tag) ?? ""}
          options={[{ value: "", text: "any" }, ...values.map((value) => ({ value, text: value }))]}
          set={(value) => filter.setTag(tag, value)}
        />
      ))}
      <output class="quality-count">
        {shown} of {rows.length} models
      </output>
    </fieldset>
  );
}
