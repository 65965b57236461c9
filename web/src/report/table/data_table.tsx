// The table of the report: It can be sorted, filtered, have hidden columns, and be copied as it is
// shown. The choices are in the address under the table's id.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { countText } from "../estimate.ts";
import { Windowed } from "../parts/windowed.tsx";
import { useAddress, useAddressList } from "../state.ts";
import type { CopiedTable, CopyFormat } from "./copy.ts";
import { CopyButtons } from "./copy_buttons.tsx";
import { ordered, wordsIn } from "./order.ts";

export interface DataColumn<T> {
  /** A key that is unique among the columns. */
  key: string;
  name: string;
  /** A sentence that describes the column. */
  meaning?: string;
  /** Whether the cells are texts, which are aligned to the left, and can be filtered. */
  text?: boolean;
  /** The value for sorting. Null if there is none, which is sorted last. */
  value: (row: T) => string | number | null;
  /** The text that is shown, and also copied for people. */
  shown: (row: T) => string;
  /** The content on the page. The default is `shown`. */
  cell?: (row: T) => ComponentChildren;
  /** Further columns for programs, next to the value, by name. */
  parts?: { name: string; of: (row: T) => number | null }[];
  /** Whether the first sort by this column is ascending. */
  least?: boolean;
}

interface DataTableProps<T> {
  id: string;
  label: string;
  rows: T[];
  keyOf: (row: T) => string;
  columns: DataColumn<T>[];
  /** The key of the column of the initial order. The default is the rows' own order. */
  sorted?: string;
}

function copiedTable<T>(format: CopyFormat, rows: T[], columns: DataColumn<T>[]): CopiedTable {
  const plain = (value: string | number | null) => (value === null ? "" : String(value));
  const all = columns.flatMap((column) => {
    const own = {
      name: column.name,
      numbers: column.text !== true,
      of: format === "csv" ? (row: T) => plain(column.value(row)) : column.shown,
    };
    const parts = (format === "csv" ? (column.parts ?? []) : []).map(({ name, of }) => ({
      name,
      numbers: true,
      of: (row: T) => plain(of(row)),
    }));
    return [own, ...parts];
  });
  return { columns: all, rows: rows.map((row) => all.map(({ of }) => of(row))) };
}

export function DataTable<T>({ id, label, rows, keyOf, columns, sorted }: DataTableProps<T>) {
  const first = columns.find(({ key }) => key === sorted);
  const initial = first === undefined ? "" : `${first.least === true ? "+" : "-"}${first.key}`;
  const [order, setOrder] = useAddress(`${id}.sort`, initial);
  const [filter, setFilter] = useAddress(`${id}.filter`, "");
  const [hidden, setHidden] = useAddressList(`${id}.hidden`, []);
  const filterId = useId();
  const key = order.slice(1);
  const descending = order.startsWith("-");
  const sorting = columns.find((column) => column.key === key);
  const texts = columns.filter(({ text }) => text === true);
  const words = wordsIn(filter);
  const found =
    words.length === 0
      ? rows
      : rows.filter((row) => {
          const all = texts.map(({ shown }) => shown(row).toLowerCase());
          return words.every((word) => all.some((text) => text.includes(word)));
        });
  const inOrder = sorting === undefined ? found : ordered(found, sorting.value, descending);
  const away = new Set(hidden);
  const shown = columns.filter((column, index) => index === 0 || !away.has(column.key));
  const by = (next: string) => {
    const column = columns.find((entry) => entry.key === next);
    const startsUp = column?.text === true || column?.least === true;
    if (next !== key) setOrder(`${startsUp ? "+" : "-"}${next}`);
    else setOrder(`${descending ? "+" : "-"}${next}`);
  };
  return (
    <div class="data-table">
      <div class="choices no-print">
        {rows.length > 5 && (
          <span class="choice">
            <label for={filterId}>Filter</label>
            <input
              id={filterId}
              type="search"
              value={filter}
              placeholder="part of a name or tag"
              onInput={(event) => setFilter(event.currentTarget.value)}
            />
            {words.length > 0 && (
              <span role="status">
                {countText(found.length)} of {countText(rows.length)}
              </span>
            )}
          </span>
        )}
        {columns.length > 2 && (
          <details class="columns">
            <summary>Columns{away.size > 0 && `: ${shown.length} of ${columns.length}`}</summary>
            <div class="some-of-box">
              <button type="button" class="link" onClick={() => setHidden([])}>
                Show all
              </button>
              <ul>
                {columns.slice(1).map((column) => (
                  <li key={column.key}>
                    <label>
                      <input
                        type="checkbox"
                        checked={!away.has(column.key)}
                        onChange={() =>
                          setHidden(
                            away.has(column.key)
                              ? hidden.filter((entry) => entry !== column.key)
                              : [...hidden, column.key],
                          )
                        }
                      />
                      <bdi>{column.name}</bdi>
                    </label>
                  </li>
                ))}
              </ul>
            </div>
          </details>
        )}
        <CopyButtons table={(format) => copiedTable(format, inOrder, shown)} />
      </div>
      <Windowed
        label={label}
        rows={inOrder}
        keyOf={keyOf}
        columns={shown.map(({ key, name, meaning, text, cell, shown }) => ({
          key,
          name,
          cell: cell ?? shown,
          ...(meaning === undefined ? {} : { meaning }),
          ...(text === undefined ? {} : { text }),
        }))}
        sort={{ key, descending, by, sortable: new Set(columns.map((column) => column.key)) }}
      />
    </div>
  );
}
