import { type Estimate, intervalText, signedText, valueText } from "../../estimate.ts";

/** A text such as "59.7 (55.7 – 63.8)". */
export function withInterval(estimate: Estimate, signed = false): string {
  if (estimate.value === null) return estimate.undefined ?? "–";
  const interval = intervalText(estimate);
  const text = signed ? signedText(estimate) : valueText(estimate);
  return interval === "" ? text : `${text} (${interval})`;
}
