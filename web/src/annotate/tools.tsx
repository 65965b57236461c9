// Undo and zoom, next to the answers of every task.

import type { ComponentChildren } from "preact";
import { useKeys, usePage } from "./context";
import { isLetter } from "./keys";
import { KeyButton } from "./parts";
import type { View } from "./session";
import type { ZoomControl } from "./zoom";

export function Tools(props: {
  view: View;
  zoom?: { current: ZoomControl | null };
  children?: ComponentChildren;
}) {
  const { texts } = usePage();
  return (
    <div class="tools">
      <UndoButton view={props.view} />
      {props.zoom && (
        <KeyButton
          kind="quiet"
          shortcut={texts.text("key_zoom")}
          press={() => props.zoom?.current?.next()}
        >
          {texts.text("zoom")}
        </KeyButton>
      )}
      {props.children}
    </div>
  );
}

export function UndoButton({ view }: { view: View }) {
  const { texts, session } = usePage();
  useKeys((event) => {
    if (event.key === "Escape" && view.review) session.keepAnswer();
    else if (isLetter(event, texts.text("key_undo"))) void session.undo();
    else return false;
    return true;
  });
  return (
    <KeyButton
      kind="quiet"
      shortcut={texts.text("key_undo")}
      disabled={!view.canUndo}
      press={() => void session.undo()}
    >
      {texts.text("undo")}
    </KeyButton>
  );
}
