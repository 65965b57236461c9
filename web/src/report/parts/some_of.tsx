// A choice of some models among many. Shows the chosen ones with their marks, and a list of others.
import { useId, useState } from "preact/hooks";
import { SeriesMark } from "../chart/marks.tsx";
import { short } from "./names.ts";

interface SomeOfProps {
  label: string;
  names: string[];
  chosen: string[];
  choose: (chosen: string[]) => void;
  /** The largest number of choices. */
  most: number;
  /** Each choice has the mark of its position. */
  marks?: boolean;
}

/** The number of listed names. The filter finds the others. */
const listed = 60;

export function matching(names: string[], filter: string): string[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return names;
  return names.filter((name) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

export function SomeOf({ label, names, chosen, choose, most, marks }: SomeOfProps) {
  const [filter, setFilter] = useState("");
  const id = useId();
  const found = matching(names, filter);
  const picked = new Set(chosen);
  const full = chosen.length >= most;
  const toggle = (name: string) =>
    choose(picked.has(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <div class="some-of">
      <ul class="legend" aria-label={label}>
        {chosen.map((name, index) => (
          <li key={name} title={short(name, 300)}>
            {marks === true && (
              <svg width="14" height="14" aria-hidden="true">
                <SeriesMark x={7} y={7} index={index} />
              </svg>
            )}
            <bdi>{short(name, 40)}</bdi>
          </li>
        ))}
      </ul>
      {names.length > 1 && (
        <details class="no-print">
          <summary>
            {label}: {chosen.length} of {names.length.toLocaleString("en-US")}
          </summary>
          <div class="some-of-box">
            {names.length > 12 && (
              <>
                <label for={id}>Find</label>
                <input
                  id={id}
                  type="search"
                  value={filter}
                  onInput={(event) => setFilter(event.currentTarget.value)}
                />
              </>
            )}
            <ul>
              {found.slice(0, listed).map((name) => (
                <li key={name}>
                  <label title={short(name, 300)}>
                    <input
                      type="checkbox"
                      checked={picked.has(name)}
                      disabled={full && !picked.has(name)}
                      onChange={() => toggle(name)}
                    />
                    <bdi>{short(name, 48)}</bdi>
                  </label>
                </li>
              ))}
            </ul>
            <small>
              {found.length > listed && `${found.length - listed} more: narrow the search. `}
              {full && `No more than ${most} at a time.`}
            </small>
          </div>
        </details>
      )}
    </div>
  );
}

/** The values in the address that exist, each once, or the first ones if there are none. */
export function chosenAmong(names: string[], wanted: string[], fallback: number, most: number) {
  const there = new Set(names);
  const kept = [...new Set(wanted)].filter((name) => there.has(name)).slice(0, most);
  return kept.length > 0 ? kept : names.slice(0, fallback);
}
