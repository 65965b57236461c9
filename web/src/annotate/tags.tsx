// Tags that a person may add to an answer before giving it, in a dialog over the page, so that
// nobody else has more to see or to press.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys, usePage } from "./context";
import { isLetter } from "./keys";
import { KeyButton } from "./parts";
import { LONGEST_TAG, MOST_TAGS, matching, withSwitched, withTyped } from "./tag_names";

interface TagProps {
  tags: string[];
  suggested: string[];
  change: (tags: string[]) => void;
}

export function TagButton(props: TagProps) {
  const { texts } = usePage();
  const [open, setOpen] = useState(false);
  const { tags } = props;
  useKeys((event) => {
    if (!isLetter(event, texts.text("key_tag"))) return false;
    setOpen(true);
    return true;
  });
  return (
    <>
      <KeyButton
        kind="quiet"
        shortcut={texts.text("key_tag")}
        pressed={tags.length > 0}
        press={() => setOpen(true)}
      >
        {tags.length > 0 ? texts.text("tags_count", { count: tags.length }) : texts.text("tags")}
      </KeyButton>
      {open && <TagDialog {...props} close={() => setOpen(false)} />}
    </>
  );
}

function TagDialog({ tags, suggested, change, close }: TagProps & { close: () => void }) {
  const { texts } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    field.current?.focus();
    return () => element?.close();
  }, []);
  /// Typed text is not lost, however the dialog is left.
  const leave = () => {
    if (typed.trim() !== "") change(withTyped(tags, typed));
    close();
  };
  const add = () => {
    if (typed.trim() === "") return close();
    change(withTyped(tags, typed));
    setTyped("");
  };
  const toggle = (tag: string) => {
    change(withSwitched(tags, tag));
    setTyped("");
    field.current?.focus();
  };
  const others = matching(suggested, typed).filter((tag) => !tags.includes(tag));
  return (
    <dialog ref={dialog} class="tag-dialog" aria-labelledby={`${id}-title`} onClose={leave}>
      <h2 id={`${id}-title`}>{texts.text("tags_title")}</h2>
      <p id={`${id}-hint`} class="hint">
        {texts.text("tags_hint")}
      </p>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <input
          ref={field}
          type="text"
          value={typed}
          maxLength={LONGEST_TAG}
          disabled={tags.length >= MOST_TAGS}
          autocomplete="off"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          {texts.text(typed.trim() === "" ? "tags_done" : "tags_add")}
        </button>
      </form>
      <div class="tag-list">
        {[...tags, ...others].map((tag) => (
          <button
            type="button"
            key={tag}
            class="button small"
            dir="auto"
            aria-pressed={tags.includes(tag)}
            onClick={() => toggle(tag)}
          >
            {tag}
          </button>
        ))}
      </div>
    </dialog>
  );
}
