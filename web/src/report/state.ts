// The reader's choices (sorting, filters, hidden columns, sliders) are in the address, so that a
// link shows the same: #key=value&key=value. Defaults are not written.
import { useCallback, useSyncExternalStore } from "preact/compat";

const listeners = new Set<() => void>();

function read(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("hashchange", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("hashchange", listener);
  };
}

function write(key: string, value: string, fallback: string): void {
  const all = read();
  if (value === fallback) all.delete(key);
  else all.set(key, value);
  // The entry is replaced, so that "back" leaves the report instead of undoing a slider.
  history.replaceState(null, "", `${location.pathname}${location.search}#${all}`);
  for (const listener of listeners) listener();
}

/** One text in the address. Keys begin with the id of the section, as in "overview.sort". */
export function useAddress(key: string, fallback: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => read().get(key) ?? fallback);
  const set = useCallback((next: string) => write(key, next, fallback), [key, fallback]);
  return [value, set];
}

/** A list of non-empty texts in the address. Their order matters. */
export function useAddressList(
  key: string,
  fallback: string[],
): [string[], (value: string[]) => void] {
  const [text, set] = useAddress(key, JSON.stringify(fallback));
  let list = fallback;
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((entry) => typeof entry === "string")) list = parsed;
  } catch {
    // An invalid text that was typed by hand counts as no choice.
  }
  return [list, useCallback((next: string[]) => set(JSON.stringify(next)), [set])];
}
