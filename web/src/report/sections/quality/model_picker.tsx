// The chosen models by name, and a way to choose more of them.
import { useId, useState } from "preact/hooks";
import { SeriesMark } from "../../chart/marks.tsx";
import { type Chosen, mostChosen } from "./choice_state.ts";
import type { Row } from "./tables.ts";

interface ModelPickerProps {
  chosen: Chosen;
  all: Map<string, Row>;
}

export function ModelPicker({ chosen, all }: ModelPickerProps) {
  const id = useId();
  const [text, setText] = useState("");
  const add = (name: string) => {
    setText(name);
    for (const row of all.values()) {
      if (row.label !== name || chosen.has(row)) continue;
      chosen.toggle(row);
      setText("");
      return;
    }
  };
  return (
    <div class="quality-picker">
      <ul class="legend">
        {chosen.rows.map((row, index) => (
          <li key={row.key}>
            <svg width="14" height="14" aria-hidden="true">
              <SeriesMark x={7} y={7} index={index} />
            </svg>
            <bdi class="quality-name">{row.label}</bdi>
            <button
              type="button"
              class="link no-print"
              aria-label={`Remove ${row.label}`}
              onClick={() => chosen.toggle(row)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div class="quality-controls no-print">
        <label class="quality-control">
          <span>add a model</span>
          <input
            type="text"
            list={id}
            value={text}
            disabled={chosen.full}
            placeholder={chosen.full ? `at most ${mostChosen}` : "its name"}
            onInput={(event) => add(event.currentTarget.value)}
          />
        </label>
        <datalist id={id}>
          {[...all.values()].map((row) => (
            <option key={row.key} value={row.label} />
          ))}
        </datalist>
        {chosen.rows.length > 0 && (
          <button type="button" class="link" onClick={chosen.clear}>
            remove all
          </button>
        )}
      </div>
    </div>
  );
}
