// The known answers of a training screen, shown after it was answered.

import { useEffect, useRef } from "preact/hooks";
import { useKeys, usePage } from "./context";
import type { View } from "./session";

export function FeedbackCard({ view }: { view: View }) {
  const { texts, session } = usePage();
  const button = useRef<HTMLButtonElement>(null);
  // Keyboard users continue from here, and a screen reader reads it first.
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  useKeys((event) => {
    if (event.key !== " " && event.key !== "Enter") return false;
    session.proceed();
    return true;
  });
  const { feedback } = view;
  const correct = feedback.filter((one) => one.correct).length;
  const all = correct === feedback.length;
  const only = feedback.length === 1 ? feedback[0] : undefined;
  return (
    <div class={all ? "feedback correct" : "feedback incorrect"}>
      <div role="status">
        <p class="verdict">{texts.text(all ? "feedback_correct" : "feedback_incorrect")}</p>
        <p>
          {only
            ? texts.text("feedback_known", { answer: texts.text(only.known) })
            : texts.text("feedback_count", { correct, count: feedback.length })}
        </p>
      </div>
      <button type="button" class="button primary" ref={button} onClick={() => session.proceed()}>
        <span>{texts.text("continue")}</span>
        <span class="key" aria-hidden="true">
          {texts.text("key_enter")}
        </span>
      </button>
    </div>
  );
}
