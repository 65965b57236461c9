import type { MetricDefinition } from "../../schemas/described.ts";
// The metrics, with their definitions.

export function Definitions({ definitions }: { definitions: MetricDefinition[] }) {
  if (definitions.length === 0) return null;
  return (
    <details class="definitions">
      <summary>What is measured</summary>
      <dl>
        {definitions.map(({ definition, name, meaning, source }) => (
          <div key={definition}>
            <dt>
              {name} <code>{definition}</code>
            </dt>
            <dd>
              {meaning}
              {source !== undefined && source !== "" && <small> {source}.</small>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
