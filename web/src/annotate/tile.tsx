// One image of a grid. A click selects it, and a long press or the key shows it large.

import { useRef } from "preact/hooks";
import type { Feedback } from "../shared/api";
import { usePage } from "./context";
import { Mounted, useImage } from "./parts";

const LONG_PRESS = 500;

export function Tile(props: {
  question: string;
  number: number;
  count: number;
  chosen: boolean;
  known: Feedback | undefined;
  /// Reached with the Tab key. The arrow keys reach the others.
  inOrder: boolean;
  toggle: () => void;
  zoom: () => void;
}) {
  const { texts } = usePage();
  const image = useImage(props.question, "small");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const held = useRef(false);
  const { number, count, known } = props;
  const alt = texts.text("image_alt_numbered", { number, count });
  const missing = image.state === "missing";
  const press = () => {
    held.current = false;
    timer.current = setTimeout(() => {
      held.current = true;
      props.zoom();
    }, LONG_PRESS);
  };
  const release = () => clearTimeout(timer.current);
  const verdict = known && !known.correct ? `known-${known.known}` : "";
  return (
    <button
      type="button"
      class={`tile ${verdict}`}
      aria-pressed={props.chosen}
      aria-disabled={missing}
      tabIndex={props.inOrder ? 0 : -1}
      onPointerDown={press}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (!held.current && !missing) props.toggle();
        held.current = false;
      }}
    >
      {image.state === "there" && <Mounted element={image.element} alt={alt} />}
      {image.state === "coming" && <span class="visually-hidden">{alt}</span>}
      {missing && <span class="image-note">{texts.text("image_missing")}</span>}
      {known && !known.correct && (
        <span class="known">{texts.text(known.known === "yes" ? "known_yes" : "known_no")}</span>
      )}
    </button>
  );
}
