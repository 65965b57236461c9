// The whole page: what the report is about, a way to each section, the sections.
import { useEffect, useState } from "preact/hooks";
import { toggleTheme } from "../shared/theme.ts";
import { ThemeButton } from "../shared/theme_button.tsx";
import { Chapter } from "./chapter.tsx";
import type { ReportDocument } from "./document.ts";
import { sections } from "./registry.ts";
import type { Section } from "./section.ts";
import { useAddress } from "./state.ts";

/** What was said while the report was made, one press away. */
function Said({ title, texts }: { title: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <details class="said">
      <summary>
        {title} ({texts.length})
      </summary>
      <ul>
        {texts.slice(0, 500).map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

function applies(section: Section, document: ReportDocument): boolean {
  try {
    return section.applies(document);
  } catch {
    // Its result is not of the form that it should have: the section says so.
    return true;
  }
}

function goTo(id: string): void {
  const heading = window.document.getElementById(`${id}-title`);
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

/** The section that fills the upper part of the window. */
function useInSight(ids: string[]): string {
  const [current, setCurrent] = useState(ids[0] ?? "");
  const list = ids.join(" ");
  useEffect(() => {
    const look = () => {
      let found = "";
      for (const id of list.split(" ")) {
        const top = window.document.getElementById(id)?.getBoundingClientRect().top;
        if (top !== undefined && (found === "" || top < window.innerHeight / 3)) found = id;
      }
      setCurrent(found);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [list]);
  return current;
}

export function App({ document }: { document: ReportDocument }) {
  const shown = sections.filter((section) => applies(section, document));
  const [asked, setAsked] = useAddress("section", "");
  const current = useInSight(shown.map(({ id }) => id));
  // Where a link leads to, once.
  useEffect(() => {
    if (asked !== "") goTo(asked);
  }, []);
  return (
    <>
      <button type="button" class="skip" onClick={() => goTo(shown[0]?.id ?? "")}>
        Skip to the first section
      </button>
      <header class="report-head">
        <h1>{document.title}</h1>
        <nav aria-label="Sections" class="no-print">
          {shown.map(({ id, title }) => (
            <button
              type="button"
              class="link"
              key={id}
              aria-current={id === current ? "true" : undefined}
              onClick={() => {
                setAsked(id);
                goTo(id);
              }}
            >
              {title}
            </button>
          ))}
        </nav>
        <span class="no-print">
          <ThemeButton name="Light or dark" press={toggleTheme} />
        </span>
      </header>
      <main id="main">
        <div class="saids">
          <Said title="Warnings" texts={document.warnings} />
          <Said title="Not in this report" texts={document.left_out} />
        </div>
        {shown.map((section) => (
          <Chapter key={section.id} section={section} document={document} />
        ))}
      </main>
    </>
  );
}
