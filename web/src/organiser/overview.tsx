// The study as a whole: settled questions, missing answers and problems.

import type { ServiceStatus } from "./api";
import { count, hours, part } from "./format";
import { Interval } from "./interval";

export function Overview({ status }: { status: ServiceStatus }) {
  const { questions, settled, open, skipped } = status;
  return (
    <section class="card overview" aria-labelledby="overview">
      <h2 id="overview">Progress</h2>
      <div class="bar-line">
        <progress aria-label="Settled questions" max={Math.max(1, questions)} value={settled} />
        <b>{part(settled, questions)}</b>
      </div>
      <dl class="figures">
        <Figure name="Settled" value={`${count(settled)} of ${count(questions)}`} />
        <Figure name="Open" value={count(open)} note={`${count(status.untouched)} untouched`} />
        <Figure name="Unclear" value={count(status.unclear)} note={`${count(skipped)} skipped`} />
        <Figure name="Answers" value={count(status.answers)} />
        <Figure name="Answers left, at least" value={count(status.answers_left)} />
        <Figure name="Time left" value={hours(status.hours_left)} note="of work" />
        <div>
          <dt>Agreement</dt>
          <dd>
            <Interval estimate={status.agreement} />
          </dd>
        </div>
      </dl>
      {status.outlook.length > 0 && (
        <ul class="sentences">
          {status.outlook.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {status.warnings.length > 0 && (
        <ul class="sentences warning">
          {status.warnings.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
