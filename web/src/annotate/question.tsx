// The question with its explanation, in an area of fixed size, so that the image never moves. Text
// that does not fit is shown over the image on request.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "./context";

export function QuestionPanel({ about, children }: { about: string; children: ComponentChildren }) {
  const { texts } = usePage();
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [tooLong, setTooLong] = useState(false);
  useLayoutEffect(() => setOpen(false), [about]);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setTooLong(element.scrollHeight > element.clientHeight + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [about]);
  return (
    <section class="question">
      <div class={open ? "question-panel open" : "question-panel"}>
        <div class={tooLong ? "question-text clipped" : "question-text"} ref={place}>
          {children}
        </div>
        {(tooLong || open) && (
          <button
            type="button"
            class="more"
            aria-expanded={open}
            onClick={(event) => {
              if (event.detail > 0) event.currentTarget.blur();
              setOpen(!open);
            }}
          >
            {texts.text(open ? "less" : "more")}
          </button>
        )}
      </div>
    </section>
  );
}
