// The reader's choice of models: a filter, and the models drawn as lines.
import { useAddress, useAddressList } from "../../state.ts";
import type { Row } from "./tables.ts";

export const mostChosen = 12;

export interface Filter {
  name: string;
  setName: (name: string) => void;
  tags: Map<string, string>;
  setTag: (tag: string, value: string) => void;
  /**
   * A row without a tag passes its filter, because the user's models have other tags than published
   * ones.
   */
  holds: (row: Row) => boolean;
}

/** Pairs in sequence: tag, value, tag, value. */
export function pairsOf(list: string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) pairs.set(list[i] as string, list[i + 1] as string);
  return pairs;
}

export function filterHolds(row: Row, name: string, tags: Map<string, string>): boolean {
  if (!row.label.toLowerCase().includes(name.trim().toLowerCase())) return false;
  for (const [tag, value] of tags) if ((row.tags.get(tag) ?? value) !== value) return false;
  return true;
}

const noTags: string[] = [];

export function useFilter(): Filter {
  const [name, setName] = useAddress("quality.name", "");
  const [list, setList] = useAddressList("quality.where", noTags);
  const tags = pairsOf(list);
  const setTag = (tag: string, value: string) => {
    const next = new Map(tags);
    if (value === "") next.delete(tag);
    else next.set(tag, value);
    setList([...next].flat());
  };
  return { name, setName, tags, setTag, holds: (row) => filterHolds(row, name, tags) };
}

export interface Chosen {
  rows: Row[];
  has: (row: Row) => boolean;
  full: boolean;
  toggle: (row: Row) => void;
  clear: () => void;
}

export function useChosen(all: Map<string, Row>, usual: string[]): Chosen {
  const [keys, setKeys] = useAddressList("quality.chosen", usual);
  const rows = [...new Set(keys)].flatMap((key) => all.get(key) ?? []).slice(0, mostChosen);
  const chosen = new Set(rows.map(({ key }) => key));
  const full = rows.length >= mostChosen;
  return {
    rows,
    has: (row) => chosen.has(row.key),
    full,
    toggle: (row) => {
      if (chosen.has(row.key)) setKeys([...chosen].filter((key) => key !== row.key));
      else if (!full) setKeys([...chosen, row.key]);
    },
    clear: () => setKeys([]),
  };
}
