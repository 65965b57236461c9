// One label and many images. The images that show it are selected.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { answersOf, choicesOf, countOf, toggled } from "./choices";
import { type TaskProps, useKeys, usePage } from "./context";
import { FeedbackCard } from "./feedback";
import { arrow, isLetter } from "./keys";
import { Definition, KeyButton, Question, Situation, useReady } from "./parts";
import { QuestionPanel } from "./question";
import { Tile } from "./tile";
import { UndoButton } from "./tools";
import { ZoomDialog } from "./zoom_dialog";

export function Grid({ view }: TaskProps) {
  const { texts, session, images } = usePage();
  const screen = view.screen;
  const place = useRef<HTMLDivElement>(null);
  const [choices, setChoices] = useState(() => choicesOf(screen ?? EMPTY));
  const [current, setCurrent] = useState(0);
  const [zoomed, setZoomed] = useState<string | null>(null);
  const done = view.phase === "feedback";

  const tiles = () => [...(place.current?.querySelectorAll<HTMLElement>(".tile") ?? [])];
  const focus = (next: number) => {
    setCurrent(next);
    tiles()[next]?.focus();
  };
  /// The distance to the tile above or below is the length of a row, which depends on the layout.
  const move = (way: { across: number; down: number }) => {
    const all = tiles();
    const columns = all.filter((tile) => tile.offsetTop === all[0]?.offsetTop).length;
    const onTile = all.includes(document.activeElement as HTMLElement);
    const next = onTile ? current + way.across + way.down * columns : current;
    if (next >= 0 && next < all.length) focus(next);
  };
  const toggle = (question: string) => {
    if (!done && !view.chosen) setChoices((now) => toggled(now, question, "yes"));
  };
  const ready = useReady(screen?.cells.map((cell) => cell.question) ?? [], "small");
  /// Images that are not selected count as "does not show it", so all images must be
  /// visible first.
  const submit = () => {
    if (!screen) return;
    const states = screen.cells.map((cell) => images.state(cell.question, "small").state);
    if (!ready) return;
    const missing = screen.cells.filter((_, at) => states[at] === "missing");
    if (missing.length === screen.cells.length) session.skip(screen.screen);
    else session.answer(answersOf(screen, choices, new Set(missing.map((cell) => cell.question))));
  };
  useKeys((event) => {
    const way = arrow(event.key, texts.dir === "rtl");
    const onTile = document.activeElement?.classList.contains("tile") === true;
    const question = screen?.cells[current]?.question;
    if (way) move(way);
    else if (isLetter(event, texts.text("key_zoom"))) setZoomed(question ?? null);
    else if (event.key === "Enter" && !done && (onTile || !onButton())) submit();
    else return false;
    return true;
  });
  useEffect(() => window.scrollTo({ top: 0 }), []);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) tiles()[0]?.focus({ preventScroll: true });
  }, []);
  const label = screen?.labels[screen.cells[0]?.label ?? 0];
  if (!screen || !label) return null;

  const count = countOf(choices, "yes");
  const known = new Map(view.feedback.map((one) => [one.question, one]));
  return (
    <main class="work grid-task">
      <QuestionPanel about={label.id}>
        <Situation view={view} />
        <Question label={label} of="question_grid" />
        <Definition label={label} />
      </QuestionPanel>
      <div class="tiles" ref={place}>
        {screen.cells.map((cell, at) => (
          <Tile
            key={cell.question}
            question={cell.question}
            number={at + 1}
            count={screen.cells.length}
            chosen={choices.get(cell.question) === "yes"}
            known={known.get(cell.question)}
            inOrder={at === current}
            toggle={() => {
              setCurrent(at);
              toggle(cell.question);
            }}
            zoom={() => setZoomed(cell.question)}
          />
        ))}
      </div>
      <section class="answers bar">
        {done ? (
          <FeedbackCard view={view} />
        ) : (
          <>
            <p class="count" aria-live="polite">
              <b>{texts.text("selected_count", { count })}</b>
              <span class="hint">{texts.text("grid_hint")}</span>
            </p>
            <UndoButton view={view} />
            <KeyButton
              kind="primary"
              shortcut={texts.text("key_enter")}
              disabled={!ready}
              press={submit}
            >
              {texts.text(count === 0 ? "submit_none" : "submit")}
            </KeyButton>
          </>
        )}
      </section>
      {zoomed !== null && <ZoomDialog question={zoomed} close={() => setZoomed(null)} />}
    </main>
  );
}

const EMPTY = { screen: "", training: false, labels: [], cells: [], said: [] };

/// Whether the focused element uses the Enter key.
export function onButton(): boolean {
  return document.activeElement?.matches("button:focus-visible, summary:focus-visible") === true;
}
