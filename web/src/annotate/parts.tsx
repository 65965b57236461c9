// Small components that several tasks use.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LabelText } from "../shared/api";
import { usePage } from "./context";
import type { ImageState, Size } from "./images";
import type { View } from "./session";

/// A button with its key. A click by mouse or finger does not set the focus. The next key must keep
/// its meaning on the page, and must not press the last button.
export function KeyButton(props: {
  children: ComponentChildren;
  press: () => void;
  shortcut?: string;
  kind?: string;
  disabled?: boolean;
  pressed?: boolean;
}) {
  const { children, press, shortcut, kind = "", disabled = false, pressed } = props;
  return (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={disabled}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      onClick={(event) => {
        if (event.detail > 0) event.currentTarget.blur();
        press();
      }}
    >
      <span>{children}</span>
      {shortcut && (
        <span class="key" aria-hidden="true">
          {shortcut}
        </span>
      )}
    </button>
  );
}

/// The state of an image, which is kept as long as the component exists.
export function useImage(question: string, size: Size): ImageState {
  const { images } = usePage();
  const [, redraw] = useState(0);
  useLayoutEffect(
    () => images.watch(question, size, () => redraw((count) => count + 1)),
    [images, question, size],
  );
  return images.state(question, size);
}

/// Whether each of these images is shown or cannot be shown. Nobody answers about images that they
/// have not seen.
export function useReady(questions: readonly string[], size: Size): boolean {
  const { images } = usePage();
  const [, redraw] = useState(0);
  const all = questions.join(" ");
  useLayoutEffect(() => {
    const each = all === "" ? [] : all.split(" ");
    const stops = each.map((one) => images.watch(one, size, () => redraw((count) => count + 1)));
    return () => {
      for (const stop of stops) stop();
    };
  }, [images, all, size]);
  return questions.every((one) => images.state(one, size).state !== "coming");
}

/// Inserts the decoded image element into the page, so that it appears at once.
export function Mounted({ element, alt }: { element: HTMLImageElement; alt: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    element.alt = alt;
    const tiny = Math.max(element.naturalWidth, element.naturalHeight) <= 160;
    element.classList.toggle("pixelated", tiny);
    place.current?.replaceChildren(element);
  }, [element, alt]);
  return <span class="mounted" ref={place} />;
}

/// "Does this image show LABEL?" with the label in bold.
export function Question({ label, of }: { label: LabelText; of: "question" | "question_grid" }) {
  const { texts } = usePage();
  const [before, after] = texts.around(of, "label");
  return (
    <h1>
      {before}
      <strong dir="auto">{label.name || label.id}</strong>
      {after}
    </h1>
  );
}

const FEW = 4;

export function Definition({ label }: { label: LabelText }) {
  const { texts } = usePage();
  const names = label.synonyms.filter((name) => name !== label.name);
  const shown = texts.text("synonyms", { synonyms: names.slice(0, FEW).join(", ") });
  return (
    <>
      {label.definition ? (
        <p class="definition" dir="auto">
          {label.definition}
        </p>
      ) : (
        <p class="definition absent">{texts.text("no_definition")}</p>
      )}
      {names.length > 0 && <p class="synonyms">{shown}</p>}
      {names.length > FEW && (
        <details class="synonyms">
          <summary>{texts.text("synonyms_more")}</summary>
          <p>{names.slice(FEW).join(", ")}</p>
        </details>
      )}
    </>
  );
}

/// The number of the training screen, or a note that it was answered before.
export function Situation({ view }: { view: View }) {
  const { texts, session } = usePage();
  if (view.screen?.training) {
    const number = Math.min(view.trainingDone + (view.feedback.length > 0 ? 0 : 1), view.training);
    const values = { number: Math.max(1, number), count: view.training };
    return (
      <p class="situation">
        <b>{texts.text("training", values)}</b> <span>{texts.text("training_hint")}</span>
      </p>
    );
  }
  if (!view.review) return null;
  return (
    <div class="situation">
      <p>{texts.text("review")}</p>
      <KeyButton kind="small" shortcut="Esc" press={() => session.keepAnswer()}>
        {texts.text("keep_answer")}
      </KeyButton>
    </div>
  );
}
