// The whole page: its subject, links to the sections, and the sections.
import { useEffect, useMemo } from "preact/hooks";
import { toggleTheme } from "../shared/theme.ts";
import { ThemeButton } from "../shared/theme_button.tsx";
import { Chapter } from "./chapter.tsx";
import type { ReportDocument } from "./document.ts";
import { useInSight } from "./in_sight.ts";
import { jumpTo } from "./jump.ts";
import { sections } from "./registry.ts";
import type { Section } from "./section.ts";
import { Sentence } from "./sentence.tsx";
import { useAddress } from "./state.ts";

/** The messages from when the report was made, which open with one press. */
function Said({ title, texts }: { title: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <details class="said">
      <summary>
        {title} ({texts.length})
      </summary>
      <ul>
        {texts.slice(0, 500).map((text, index) => (
          <li key={index}>
            <Sentence text={text} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function applies(section: Section, document: ReportDocument): boolean {
  try {
    return section.applies(document);
  } catch {
    // If its result does not have the expected form, the section says so.
    return true;
  }
}

export function App({ document }: { document: ReportDocument }) {
  const shown = useMemo(() => sections.filter((section) => applies(section, document)), [document]);
  const first = shown[0]?.id ?? "";
  const [current, setCurrent] = useAddress("section", first);
  useInSight(
    shown.map(({ id }) => id),
    setCurrent,
  );
  useEffect(() => {
    // Follows the link in the address, at first and when the address changes.
    const follow = () => {
      const asked = new URLSearchParams(location.hash.slice(1)).get("section");
      if (asked !== null) jumpTo(asked);
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return (
    <>
      <button type="button" class="skip no-print" onClick={() => jumpTo(first)}>
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
                setCurrent(id);
                jumpTo(id);
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
