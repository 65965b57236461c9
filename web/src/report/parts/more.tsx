// The first entries of a long list, and more of them on request.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../estimate.ts";

interface MoreProps<T> {
  entries: T[];
  /** The number of entries at first, and of further ones with each press. */
  step: number;
  class: string;
  children: (entry: T, index: number) => ComponentChildren;
}

export function More<T>(props: MoreProps<T>) {
  const [shown, setShown] = useState(props.step);
  const left = props.entries.length - shown;
  return (
    <>
      <div class={props.class}>{props.entries.slice(0, shown).map(props.children)}</div>
      {left > 0 && (
        <button type="button" class="link no-print" onClick={() => setShown(shown + props.step)}>
          {countText(left)} more
        </button>
      )}
    </>
  );
}
