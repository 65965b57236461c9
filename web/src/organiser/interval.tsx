// A proportion with its interval, as a number and as a bar from 0 to 100 %.

import type { Estimate } from "./api";
import { DASH, proportion } from "./format";

const WIDTH = 100;

export function Interval({ estimate }: { estimate: Estimate }) {
  const { value, low, high, reason, n } = estimate;
  if (value === null) return <span title={reason ?? "undefined"}>{DASH}</span>;
  const from = (low ?? value) * WIDTH;
  const to = (high ?? value) * WIDTH;
  return (
    <span class="interval" title={`of ${n}`}>
      <span>{proportion(estimate)}</span>
      <svg viewBox={`-3 0 ${WIDTH + 6} 10`} aria-hidden="true" preserveAspectRatio="none">
        <rect class="ground" x="0" y="3" width={WIDTH} height="4" rx="2" />
        <rect class="range" x={from} y="3" width={Math.max(1, to - from)} height="4" rx="2" />
        <rect class="value" x={value * WIDTH - 1.5} y="0" width="3" height="10" rx="1" />
      </svg>
    </span>
  );
}
