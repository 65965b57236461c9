// One image and one label, with the answers yes, no and cannot say.

import { useRef, useState } from "preact/hooks";
import type { Answer } from "../shared/api";
import { type TaskProps, useKeys, usePage } from "./context";
import { FeedbackCard } from "./feedback";
import { belongsToFocus, isLetter } from "./keys";
import { Definition, KeyButton, Question, Situation, useReady } from "./parts";
import { QuestionPanel } from "./question";
import { TagButton } from "./tags";
import { Tools } from "./tools";
import { type ZoomControl, ZoomView, zoomKey } from "./zoom";

export function YesNo({ view }: TaskProps) {
  const { texts, session } = usePage();
  const zoom = useRef<ZoomControl | null>(null);
  const screen = view.screen;
  const cell = screen?.cells[0];
  const label = cell && screen?.labels[cell.label];

  // The component stays from screen to screen, but tags belong to one.
  const shown = `${screen?.screen} ${view.review}`;
  const [draft, setDraft] = useState<{ shown: string; tags: string[] } | null>(null);
  const tags = draft?.shown === shown ? draft.tags : (view.review && screen?.tags) || [];

  const ready = useReady(cell ? [cell.question] : [], "full");
  const give = (answer: Answer) => {
    if (cell && ready) session.answer([{ question: cell.question, answer }], tags);
  };
  useKeys((event) => {
    if (zoomKey(zoom.current, event, isLetter(event, texts.text("key_zoom")))) return true;
    if (view.phase === "feedback" || belongsToFocus(event)) return false;
    if (isLetter(event, texts.text("key_yes"))) give("yes");
    else if (isLetter(event, texts.text("key_no"))) give("no");
    else if (event.key === " ") give("cannot-say");
    else return false;
    return true;
  });
  if (!screen || !cell || !label) return null;

  const chosen = view.chosen?.[0]?.answer ?? (view.review ? screen.said[0] : undefined);
  const choice = (answer: Answer, name: "yes" | "no" | "cannot_say", key: string) => (
    <KeyButton
      kind={`answer ${answer}`}
      shortcut={key}
      pressed={chosen === answer}
      disabled={!ready}
      press={() => give(answer)}
    >
      {texts.text(name)}
    </KeyButton>
  );
  return (
    <main class="work one-image" key="yes-no">
      <QuestionPanel about={`${label.id} ${view.review} ${screen.training}`}>
        <Situation view={view} />
        <Question label={label} of="question" />
        <Definition label={label} />
      </QuestionPanel>
      <ZoomView
        question={cell.question}
        control={zoom}
        missing={() => session.skip(screen.screen)}
      />
      <section class="answers">
        {view.phase === "feedback" ? (
          <FeedbackCard view={view} />
        ) : (
          <div class="choices">
            {choice("yes", "yes", texts.text("key_yes"))}
            {choice("no", "no", texts.text("key_no"))}
            {choice("cannot-say", "cannot_say", texts.text("key_space"))}
          </div>
        )}
        <Tools view={view} zoom={zoom}>
          {view.tags && !screen.training && (
            <TagButton
              tags={tags}
              suggested={view.tags}
              change={(next) => setDraft({ shown, tags: next })}
            />
          )}
        </Tools>
      </section>
    </main>
  );
}
