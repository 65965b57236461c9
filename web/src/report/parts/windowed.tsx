// A table of thousands of rows. Only visible rows are in the page, and all have the same height.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { usePrinting } from "../printing.ts";

export interface WindowedColumn<T> {
  key: string;
  name: string;
  /** The text of the heading's tooltip. */
  meaning?: string;
  cell: (row: T) => ComponentChildren;
  text?: boolean;
}

interface WindowedProps<T> {
  label: string;
  rows: T[];
  keyOf: (row: T) => string;
  columns: WindowedColumn<T>[];
  /** The column and direction of the order, and the action of a heading. */
  sort?: {
    key: string;
    descending: boolean;
    by: (key: string) => void;
    sortable: Set<string>;
  };
}

const rowHeight = 32;
const boxHeight = 480;
const beyond = 12;

export function windowOf(top: number, count: number): [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond);
  const last = Math.min(count, Math.ceil((top + boxHeight) / rowHeight) + beyond);
  return [Math.min(first, last), last];
}

/**
 * Paper does not scroll, so this number of columns is printed next to the first one, and others
 * below.
 */
const across = 7;

export function blocksOf<C>(columns: C[], most: number): C[][] {
  const [first, ...others] = columns;
  if (first === undefined || others.length <= most) return [columns];
  const blocks: C[][] = [];
  for (let at = 0; at < others.length; at += most)
    blocks.push([first, ...others.slice(at, at + most)]);
  return blocks;
}

export function Windowed<T>(props: WindowedProps<T>) {
  const printing = usePrinting();
  if (!printing) return <Block {...props} printing={false} />;
  return (
    <>
      {blocksOf(props.columns, across).map((columns) => (
        <Block key={columns[1]?.key} {...props} columns={columns} printing />
      ))}
    </>
  );
}

type BlockProps<T> = WindowedProps<T> & { printing: boolean };

function Block<T>({ label, rows, keyOf, columns, sort, printing }: BlockProps<T>) {
  const [top, setTop] = useState(0);
  // Tables with more rows are not printed in full.
  const [first, last] = printing ? [0, Math.min(rows.length, 2000)] : windowOf(top, rows.length);
  const spacer = (count: number) =>
    count > 0 ? (
      <tr aria-hidden="true">
        <td
          colSpan={columns.length}
          style={{ blockSize: `${count * rowHeight}px`, padding: "0" }}
        />
      </tr>
    ) : null;
  return (
    <section
      class="scroll windowed"
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ key, name, meaning, text }) => {
              const sorted = sort?.key === key;
              const order = sort?.descending === true ? "descending" : "ascending";
              return (
                <th
                  key={key}
                  scope="col"
                  class={text === true ? "text" : undefined}
                  title={meaning}
                  aria-sort={sorted ? order : undefined}
                >
                  {sort?.sortable.has(key) !== true ? (
                    name
                  ) : (
                    <button type="button" class="link" onClick={() => sort.by(key)}>
                      {name}
                      {sorted ? (sort.descending ? " ↓" : " ↑") : ""}
                    </button>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {!printing && spacer(first)}
          {rows.slice(first, last).map((row, index) => (
            <tr key={keyOf(row)} aria-rowindex={first + index + 2}>
              {columns.map(({ key, cell, text }, column) =>
                column === 0 ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} class={text === true ? "text" : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
          {!printing && spacer(rows.length - last)}
        </tbody>
      </table>
    </section>
  );
}
