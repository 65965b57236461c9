// The organiser's page: the study while people work on it.

import { useState } from "preact/hooks";
import { toggleTheme } from "../shared/theme";
import { ThemeButton } from "../shared/theme_button";
import type { ServiceStatus } from "./api";
import { useOrganiser } from "./context";
import { age } from "./format";
import { Overview } from "./overview";
import { People } from "./people";
import type { Polled } from "./poll";
import { Problems } from "./problems";

const TASKS = {
  "yes-no": "yes or no",
  grid: "grids of images",
  labels: "all labels of an image",
} as const;

export function App({ polled, said }: { polled: Polled; said: string }) {
  const { status, failure, refused } = polled;
  if (refused) return <Refused code={refused.code} />;
  return (
    <>
      <div class="notes" role="status">
        {failure && status && (
          <p class="note warning">
            {failure} These numbers are old. This page retries automatically.
          </p>
        )}
        {said && <p class="note">{said}</p>}
      </div>
      {status ? (
        <Study status={status} />
      ) : (
        <main class="message quiet">
          <h1>{failure ? `${failure} This page retries automatically.` : "One moment …"}</h1>
        </main>
      )}
    </>
  );
}

function Study({ status }: { status: ServiceStatus }) {
  const { change, connection, say } = useOrganiser();
  const [busy, setBusy] = useState(false);
  const old = age(status.seconds_old);
  const download = async () => {
    setBusy(true);
    try {
      save(await connection.blob("/api/organiser/answers.csv"), "answers.csv");
    } catch {
      say("The state of the study could not be loaded.");
    }
    setBusy(false);
  };
  return (
    <>
      <header class="top">
        <div>
          <h1>{status.title}</h1>
          <p class="soft">
            {TASKS[status.task]} · <code>{status.folder}</code>
            {old && ` · counted ${old} ago`}
          </p>
        </div>
        <div class="buttons">
          {status.paused && <span class="mark bad">paused</span>}
          <button
            type="button"
            class={status.paused ? "button primary" : "button"}
            onClick={() => void change("/api/organiser/pause", { pause: !status.paused })}
          >
            {status.paused ? "Continue" : "Pause"}
          </button>
          <button type="button" class="button" disabled={busy} onClick={() => void download()}>
            Download answers
          </button>
          <ThemeButton name="Light or dark" press={toggleTheme} />
        </div>
      </header>
      <main class="organiser">
        <Overview status={status} />
        <Problems problems={status.problems} />
        <People people={status.people} />
      </main>
    </>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Refused({ code }: { code: string }) {
  return (
    <main class="message">
      <h1>{code === "" ? "You need a link" : "This link is not the organiser’s"}</h1>
      <p>
        Please open this page with the organiser’s link. The server shows a new one each time it
        starts.
      </p>
    </main>
  );
}
