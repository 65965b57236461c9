// The images of a data set: the program's findings, kinds, sizes and classes.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText } from "../../estimate.ts";
import type { InspectFinding, InspectResult } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";
import { classesOf, kindsOf, sizesOf } from "./tables.ts";

/** A sign, and its word for screen readers. */
const grades: Record<InspectFinding["grade"], { sign: string; word: string }> = {
  fault: { sign: "✗", word: "incorrect numbers" },
  doubt: { sign: "!", word: "probably wrong" },
  note: { sign: "·", word: "worth knowing" },
  sound: { sign: "✓", word: "nothing found" },
};

function Finding({ finding }: { finding: InspectFinding }) {
  const { sign, word } = grades[finding.grade];
  return (
    <li class={finding.grade}>
      <span class="sign" role="img" aria-label={word} title={word}>
        {sign}
      </span>
      <div>
        {finding.text}
        {finding.examples.length > 0 && (
          <ul>
            {finding.examples.map((example, at) => (
              <li key={at}>
                <bdi>{example}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function Inspected({ result, source }: { result: InspectResult; source: string }) {
  const sizes = sizesOf(result);
  const classes = classesOf(result);
  return (
    <div class="inspected">
      <h3>
        <bdi>{result.name}</bdi>
      </h3>
      <p>
        {countText(result.images)} images, {countText(result.labels.classes)} classes;{" "}
        {result.store === undefined ? (
          <>
            by <bdi>{source}</bdi>
          </>
        ) : (
          <>
            as <bdi>{result.store}</bdi> recorded them (<code>assay inspect</code> reads the images)
          </>
        )}
      </p>
      {result.notes.length > 0 && (
        <ul>
          {result.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <ul class="findings">
        {result.findings.map((finding, at) => (
          <Finding key={at} finding={finding} />
        ))}
      </ul>
      {result.kinds.length > 0 && (
        <PlainTable label={`Kinds of images in ${result.name}`} data={kindsOf(result)} />
      )}
      {sizes !== null && <PlainTable label={`Sizes of images in ${result.name}`} data={sizes} />}
      {classes !== null && (
        <PlainTable
          label={`Classes of ${result.name} with most and fewest images`}
          data={classes}
        />
      )}
    </div>
  );
}

export function View({ document }: { document: ReportDocument }) {
  return (
    <>
      {resultsOf<InspectResult>(document, "assay.inspect").map(({ source, result }, at) => (
        <Inspected key={at} source={source} result={result} />
      ))}
    </>
  );
}
