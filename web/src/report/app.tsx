// The whole page: what the report is about, a way to each section, the sections.

import { toggleTheme } from "../shared/theme.ts";
import { ThemeButton } from "../shared/theme_button.tsx";
import type { ReportDocument } from "./document.ts";
import { sections } from "./registry.ts";

export function App({ document }: { document: ReportDocument }) {
  const shown = sections.filter((section) => section.applies(document));
  return (
    <>
      <header class="report-head">
        <h1>{document.title}</h1>
        <nav aria-label="Sections" class="no-print">
          {shown.map(({ id, title }) => (
            <button
              type="button"
              class="link"
              key={id}
              onClick={() => window.document.getElementById(id)?.scrollIntoView()}
            >
              {title}
            </button>
          ))}
        </nav>
        <ThemeButton name="Light or dark" press={toggleTheme} />
      </header>
      <main>
        {shown.map(({ id, title, View }) => (
          <section key={id} id={id} class="chapter" aria-label={title}>
            <h2>{title}</h2>
            <View document={document} />
          </section>
        ))}
      </main>
    </>
  );
}
