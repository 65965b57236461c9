// Whether there is little room across: names are shortened then.
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
