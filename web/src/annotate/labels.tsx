// One image and many labels. The labels that apply are chosen, and each may be marked as unsure.

import { useRef, useState } from "preact/hooks";
import type { Answer, LabelText } from "../shared/api";
import { answersOf, choicesOf, countOf, toggled } from "./choices";
import { type TaskProps, useKeys, usePage } from "./context";
import { FeedbackCard } from "./feedback";
import { onButton } from "./grid";
import { digit, isLetter } from "./keys";
import { KeyButton, Situation, useReady } from "./parts";
import { QuestionPanel } from "./question";
import { Tools } from "./tools";
import { type ZoomControl, ZoomView, zoomKey } from "./zoom";

export function Labels({ view }: TaskProps) {
  const { texts, session } = usePage();
  const zoom = useRef<ZoomControl | null>(null);
  const screen = view.screen;
  const [choices, setChoices] = useState(() => (screen ? choicesOf(screen) : new Map()));
  const done = view.phase === "feedback";
  const first = screen?.cells[0];

  const toggle = (question: string, answer: Answer) => {
    if (!done && !view.chosen) setChoices((now) => toggled(now, question, answer));
  };
  const ready = useReady(first ? [first.question] : [], "full");
  const submit = () => screen && ready && session.answer(answersOf(screen, choices));
  useKeys((event) => {
    if (zoomKey(zoom.current, event, isLetter(event, texts.text("key_zoom")))) return true;
    if (done) return false;
    const cell = screen?.cells[digit(event) - 1];
    if (cell) toggle(cell.question, event.shiftKey ? "cannot-say" : "yes");
    else if (event.key === "Enter" && !onButton()) submit();
    else return false;
    return true;
  });
  if (!screen || !first) return null;

  const count = countOf(choices, "yes");
  const unsure = countOf(choices, "cannot-say");
  const known = new Map(view.feedback.map((one) => [one.question, one]));
  return (
    <main class="work one-image labels-task">
      <QuestionPanel about={String(view.review)}>
        <Situation view={view} />
        <h1>{texts.text("question_labels")}</h1>
        <p class="definition hint">{texts.text("labels_hint")}</p>
      </QuestionPanel>
      <ZoomView
        question={first.question}
        control={zoom}
        missing={() => session.skip(screen.screen)}
      />
      <section class="answers">
        <ul class="label-list">
          {screen.cells.map((cell, at) => {
            const label = screen.labels[cell.label];
            const feedback = known.get(cell.question);
            return label ? (
              <LabelRow
                key={cell.question}
                label={label}
                shortcut={at < 9 ? String(at + 1) : ""}
                chosen={choices.get(cell.question) ?? "no"}
                known={feedback && !feedback.correct ? feedback.known : null}
                toggle={(answer) => toggle(cell.question, answer)}
              />
            ) : null;
          })}
        </ul>
        {done && <FeedbackCard view={view} />}
        <div class="finish">
          {!done && (
            <KeyButton
              kind="primary"
              shortcut={texts.text("key_enter")}
              disabled={!ready}
              press={submit}
            >
              {count + unsure === 0
                ? texts.text("submit_none")
                : `${texts.text("submit")} · ${texts.text("selected_count", { count })}`}
            </KeyButton>
          )}
          <Tools view={view} zoom={zoom} />
        </div>
      </section>
    </main>
  );
}

function LabelRow(props: {
  label: LabelText;
  shortcut: string;
  chosen: Answer;
  known: "yes" | "no" | null;
  toggle: (answer: Answer) => void;
}) {
  const { texts } = usePage();
  const { label, shortcut, chosen, known, toggle } = props;
  const name = label.name || label.id;
  const press = (answer: Answer) => (event: MouseEvent) => {
    if (event.detail > 0) (event.currentTarget as HTMLElement).blur();
    toggle(answer);
  };
  return (
    <li class={`label-row ${chosen} ${known ? `known-${known}` : ""}`}>
      <button type="button" class="label" aria-pressed={chosen === "yes"} onClick={press("yes")}>
        {shortcut && (
          <span class="key" aria-hidden="true">
            {shortcut}
          </span>
        )}
        <span class="box" aria-hidden="true" />
        <span class="label-text">
          <b>{name}</b>
          {label.definition && <small>{label.definition}</small>}
          {known && <em>{texts.text(known === "yes" ? "known_yes" : "known_no")}</em>}
        </span>
      </button>
      <button
        type="button"
        class="unsure"
        aria-pressed={chosen === "cannot-say"}
        aria-label={texts.text("unsure_about", { label: name })}
        onClick={press("cannot-say")}
      >
        {texts.text("unsure")}
      </button>
    </li>
  );
}
