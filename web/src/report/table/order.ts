// The order of rows, and the rows that pass a filter.

type Value = string | number | null;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compared(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

/** Rows without a value are last in both directions, and equal ones keep their order. */
export function ordered<T>(rows: T[], value: (row: T) => Value, descending: boolean): T[] {
  const keyed = rows.map((row) => ({ row, value: value(row) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null)
      return a.value === b.value ? 0 : a.value === null ? 1 : -1;
    const order = compared(a.value, b.value);
    return descending ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

export function wordsIn(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}
