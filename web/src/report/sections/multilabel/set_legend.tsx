// The colours of the data sets: the first is filled, and the second is hatched.
import { short } from "../../parts/names.ts";

export function SetLegend({ names }: { names: string[] }) {
  return (
    <ul class="legend">
      {names.map((name, index) => (
        <li key={index}>
          <svg width="16" height="12" aria-hidden="true">
            <rect
              class={`bar set-${index % 2} series-${index % 8}`}
              x="1"
              y="1"
              width="14"
              height="10"
            />
          </svg>
          <bdi>{short(name, 40)}</bdi>
        </li>
      ))}
    </ul>
  );
}
