// The annotators: links, speed, agreement, known answers, and exclusion.

import { useState } from "preact/hooks";
import type { PersonLink, PersonStatus } from "./api";
import { copy } from "./clipboard";
import { useOrganiser } from "./context";
import { count, part, seconds } from "./format";
import { Interval } from "./interval";
import { PersonActions } from "./person_actions";

export function People({ people }: { people: PersonStatus[] }) {
  return (
    <section class="card" aria-labelledby="people">
      <h2 id="people">Annotators</h2>
      <AddPerson />
      {people.length === 0 ? (
        <p class="soft">Nobody has a link yet. Add the first annotator above.</p>
      ) : (
        <div class="table">
          <table class="people">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Answers</th>
                <th scope="col">Yes</th>
                <th scope="col">Cannot say</th>
                <th scope="col">A screen takes</th>
                <th scope="col">Known answers</th>
                <th scope="col">Agreement</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {people.map((person) => (
                <Row key={`${person.id} ${person.name}`} person={person} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ person }: { person: PersonStatus }) {
  const { answers } = person;
  const out = person.blocked || person.revoked;
  return (
    <tr class={out ? "out" : ""}>
      <th scope="row">
        <span class={person.here ? "dot here" : "dot"} aria-hidden="true" />
        {person.name}
        <span class="marks">
          {person.here && <span class="mark good">online</span>}
          {person.revoked && <span class="mark">link revoked</span>}
          {person.blocked && <span class="mark bad">excluded</span>}
          {person.id === 0 && <span class="mark">no link</span>}
        </span>
        {person.findings.map((finding) => (
          <span class="finding" key={finding}>
            {finding}
          </span>
        ))}
      </th>
      <td data-name="Answers">{count(answers)}</td>
      <td data-name="Yes">{part(person.yes, answers)}</td>
      <td data-name="Cannot say">{part(person.cannot_say, answers)}</td>
      <td data-name="A screen takes">{seconds(person.seconds_per_screen)}</td>
      <td data-name="Known answers">
        <Interval estimate={person.gold} />
      </td>
      <td data-name="Agreement">
        <Interval estimate={person.agreement} />
      </td>
      <td data-name="" class="actions">
        <PersonActions person={person} />
      </td>
    </tr>
  );
}

function AddPerson() {
  const { change, say } = useOrganiser();
  const [name, setName] = useState("");
  const add = async () => {
    const wanted = name.trim();
    if (wanted === "") return;
    const person = await change<PersonLink>("/api/organiser/people", { add: wanted });
    if (!person) return;
    setName("");
    const copied = person.link !== undefined && (await copy(person.link));
    say(copied ? `The link of ${person.name} was copied.` : `${person.name} has a link now.`);
  };
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label>
        <span>Add an annotator</span>
        <input
          type="text"
          value={name}
          maxLength={200}
          autocomplete="off"
          placeholder="Name"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={name.trim() === ""}>
        Add and copy the link
      </button>
    </form>
  );
}
