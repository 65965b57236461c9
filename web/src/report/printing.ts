// Whether the page is being printed: then everything is shown, not only what is in sight.
import { flushSync, useSyncExternalStore } from "preact/compat";

// Kept here, since parts that appear only for the print must know it from the start.
let printing = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  printing = next;
  for (const listener of listeners) listener();
}

if (typeof window !== "undefined") {
  // At once: the browser lays the page out when these return.
  window.addEventListener("beforeprint", () => flushSync(() => set(true)));
  window.addEventListener("afterprint", () => set(false));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => printing);
}
