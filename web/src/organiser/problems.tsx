// Images that could not be read. Their questions are not asked until the images are retried.

import { useEffect, useState } from "preact/hooks";
import type { ImageProblem } from "./api";
import { useOrganiser } from "./context";

const MOST = 20;

export function Problems({ problems }: { problems: ImageProblem[] }) {
  const { change, say } = useOrganiser();
  const [round, setRound] = useState(0);
  if (problems.length === 0) return null;
  const retry = async () => {
    if (await change("/api/organiser/retry", {})) say("The server tries these images again.");
    setRound(round + 1);
  };
  return (
    <section class="card" aria-labelledby="problems">
      <div class="heading">
        <h2 id="problems">Images that cannot be shown</h2>
        <button type="button" class="button small" onClick={() => void retry()}>
          Try again
        </button>
      </div>
      <ul class="problems">
        {problems.slice(0, MOST).map((problem) => (
          <li key={problem.question}>
            <Thumbnail key={round} question={problem.question} />
            <div>
              <b>{problem.image}</b>
              <p>{problem.why}</p>
              <code>{problem.path}</code>
            </div>
          </li>
        ))}
      </ul>
      {problems.length > MOST && <p class="soft">and {problems.length - MOST} more</p>}
    </section>
  );
}

/// If the file was repaired in the meantime, the image is shown.
function Thumbnail({ question }: { question: string }) {
  const { connection } = useOrganiser();
  const [url, setUrl] = useState("");
  useEffect(() => {
    let made = "";
    let gone = false;
    const path = `/api/image/${encodeURIComponent(question)}?size=small`;
    const show = (blob: Blob) => {
      if (gone) return;
      made = URL.createObjectURL(blob);
      setUrl(made);
    };
    connection.blob(path).then(show, () => setUrl(""));
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [connection, question]);
  return url ? <img class="thumbnail" src={url} alt="" /> : <span class="thumbnail absent">?</span>;
}
