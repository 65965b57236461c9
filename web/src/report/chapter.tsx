// One section on the page. It is drawn when close to the window. If it fails, the others are not
// affected.
import { Component, type ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportDocument } from "./document.ts";
import { usePrinting } from "./printing.ts";
import type { Section } from "./section.ts";

/** A result with a wrong form must not affect the other sections. */
class Contained extends Component<{ children: ComponentChildren }, { failure: string }> {
  override state = { failure: "" };

  static override getDerivedStateFromError(error: unknown) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  render() {
    if (this.state.failure === "") return this.props.children;
    return (
      <p class="failure" role="alert">
        This section cannot be shown, because its result has an unexpected form (
        {this.state.failure.slice(0, 200)}).
      </p>
    );
  }
}

/** The distance in pixels from the window at which the section is drawn. */
const ahead = "1200px";

interface ChapterProps {
  section: Section;
  document: ReportDocument;
}

/** The section is not drawn again when the reader moves to another one. */
export const Chapter = memo(function Chapter({ section, document }: ChapterProps) {
  const { id, title, View } = section;
  const [near, setNear] = useState(false);
  const printing = usePrinting();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const watched = element.current;
    if (watched === null || near) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: ahead },
    );
    observer.observe(watched);
    return () => observer.disconnect();
  }, [near]);
  return (
    <section id={id} class="chapter" aria-labelledby={`${id}-title`} ref={element}>
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {near || printing ? (
        <Contained>
          <View document={document} />
        </Contained>
      ) : (
        <div class="not-yet" aria-hidden="true" />
      )}
    </section>
  );
});
