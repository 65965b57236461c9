// Whether the page is narrow. Names are then shortened.
import { useSyncExternalStore } from "preact/compat";

const query = "(max-width: 46rem)";

function subscribe(listener: () => void): () => void {
  const media = window.matchMedia(query);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
