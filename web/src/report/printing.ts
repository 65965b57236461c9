// Whether the page is being printed. Then everything is shown, not only the visible part.
import { flushSync, useSyncExternalStore } from "preact/compat";

// Stored here, because parts that only appear in print need it from the start.
let printing = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  printing = next;
  for (const listener of listeners) listener();
}

/** Parts that are closed on the screen are opened for printing, and then closed again. */
let opened: HTMLDetailsElement[] = [];

function openAll(): void {
  opened = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")].filter(
    (details) => details.closest(".no-print") === null,
  );
  for (const details of opened) details.open = true;
}

function closeAgain(): void {
  for (const details of opened) details.open = false;
  opened = [];
}

if (typeof window !== "undefined") {
  // Renders synchronously, because the browser computes the layout when these handlers return.
  window.addEventListener("beforeprint", () => {
    flushSync(() => set(true));
    openAll();
  });
  window.addEventListener("afterprint", () => {
    closeAgain();
    set(false);
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => printing);
}
