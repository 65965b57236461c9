// One image of a grid, shown large over the page.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys, usePage } from "./context";
import { isLetter } from "./keys";
import { KeyButton } from "./parts";
import { type ZoomControl, ZoomView, zoomKey } from "./zoom";

export function ZoomDialog({ question, close }: { question: string; close: () => void }) {
  const { texts } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const control = useRef<ZoomControl | null>(null);
  // A modal dialog keeps the focus inside, and gives it back to the tile. It is open before the next
  // key can be pressed.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useKeys((event) => {
    if (isLetter(event, texts.text("key_zoom"))) close();
    else return zoomKey(control.current, event, false);
    return true;
  }, "dialog");
  return (
    <dialog ref={dialog} class="zoom-dialog" aria-label={texts.text("zoom")} onClose={close}>
      <ZoomView question={question} control={control} />
      <KeyButton kind="primary" shortcut="Esc" press={close}>
        {texts.text("close")}
      </KeyButton>
    </dialog>
  );
}
