// Generated estimates: the same in each run, with intervals that fit the number of items.
import type { Estimate } from "../../src/report/schemas/described.ts";

/** Pseudo-random numbers in [0, 1). */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function proportion(value: number, n: number): Estimate {
  const half = 1.96 * Math.sqrt((value * (1 - value)) / n) + 1 / n;
  return {
    value,
    unit: "proportion",
    n,
    interval: {
      low: Math.max(0, value - half),
      high: Math.min(1, value + half),
      level: 0.95,
      method: "wilson",
    },
  };
}

export function near(value: number, half: number, more: Partial<Estimate> = {}): Estimate {
  return {
    value,
    n: 1000,
    interval: { low: value - half, high: value + half, level: 0.95, method: "jackknife" },
    ...more,
  };
}

export function none(why: string): Estimate {
  return { value: null, undefined: why, unit: "proportion", n: 0 };
}

/** Difficult characters that names in data may contain. */
export const hostile = {
  markup: "<img src=x onerror=\"document.title='taken'\">",
  script: "</script><script>document.title='taken'</script>",
  long: `long${"-very".repeat(1000)}`,
  rightToLeft: "‮نموذج\nzweite Zeile",
  prototype: "__proto__",
};
