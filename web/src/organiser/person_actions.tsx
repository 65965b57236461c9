// The organiser's actions for one person.

import { useEffect, useRef, useState } from "preact/hooks";
import type { PersonLink, PersonStatus } from "./api";
import { copy } from "./clipboard";
import { useOrganiser } from "./context";

export function PersonActions({ person }: { person: PersonStatus }) {
  const { change, say } = useOrganiser();
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState("");
  const path = `/api/organiser/people/${person.id}`;

  const copyLink = async (link: string) => {
    if (await copy(link)) say(`The link of ${person.name} was copied.`);
    else setShown(link);
  };
  const newLink = async () => {
    const made = await change<PersonLink>(path, { new_link: true });
    if (made?.link) await copyLink(made.link);
  };
  const block = async (reason: string) => {
    const body = { name: person.name, block: !person.blocked, reason };
    if (await change("/api/organiser/block", body)) {
      const what = person.blocked ? "count again" : "are kept, but excluded from all results";
      say(`The answers of ${person.name} ${what}.`);
    }
  };
  const action = (name: string, press: () => void) => (
    <button
      type="button"
      class="button small"
      aria-label={`${name}: ${person.name}`}
      onClick={press}
    >
      {name}
    </button>
  );
  const { link } = person;
  return (
    <>
      <div class="buttons">
        {link && action("Copy link", () => void copyLink(link))}
        {person.id > 0 && action("New link", () => void newLink())}
        {person.id > 0 &&
          action(person.revoked ? "Restore" : "Revoke", () => {
            void change(path, { revoke: !person.revoked });
          })}
        {person.blocked
          ? action("Include again", () => void block(""))
          : action("Exclude", () => setAsking(true))}
      </div>
      {shown && <input class="link" readOnly value={shown} aria-label={`Link: ${person.name}`} />}
      {asking && (
        <BlockDialog
          name={person.name}
          close={() => setAsking(false)}
          confirm={(reason) => {
            setAsking(false);
            void block(reason);
          }}
        />
      )}
    </>
  );
}

function BlockDialog(props: {
  name: string;
  close: () => void;
  confirm: (reason: string) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="ask-title" onClose={props.close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.confirm(reason.trim());
        }}
      >
        <h2 id="ask-title">Exclude the answers of {props.name}?</h2>
        <p>
          The answers are kept, but excluded from all results until you include them again.
          Questions that then lack answers are asked again.
        </p>
        <label>
          <span>Reason</span>
          <input
            type="text"
            value={reason}
            maxLength={500}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="button" class="button" onClick={props.close}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Exclude
          </button>
        </div>
      </form>
    </dialog>
  );
}
