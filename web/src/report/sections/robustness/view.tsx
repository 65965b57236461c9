import { type ReportDocument, resultsOf } from "../../document.ts";
import type { AttackResult, CorruptedResult } from "../../schemas/described.ts";
import { Attacks } from "./attacks.tsx";
import { Corrupted } from "./corrupted.tsx";
import { Pairs } from "./pairs.tsx";

export function View({ document }: { document: ReportDocument }) {
  return (
    <div class="robustness">
      {resultsOf<CorruptedResult>(document, "assay.corrupted_accuracy").map(
        ({ source, result }, index) => (
          <Corrupted key={source} result={result} id={`robustness.${index + 1}`} />
        ),
      )}
      {resultsOf<AttackResult>(document, "assay.attack").map(({ source, result }, index) => (
        <Attacks key={source} result={result} id={`robustness.attack${index + 1}`} />
      ))}
      <Pairs document={document} />
    </div>
  );
}
