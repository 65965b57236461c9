import { render } from "preact";
import "../style/base.css";
import "../style/report.css";
import { applyTheme } from "../shared/theme.ts";
import { App } from "./app.tsx";
import { openDocument } from "./document.ts";

applyTheme();
const page = document.getElementById("page");
if (page !== null) {
  openDocument((opened) => {
    document.title = opened.title;
    render(<App document={opened} />, page);
  }).catch((error: unknown) => {
    render(
      <main class="message">
        <h1>This report cannot be shown</h1>
        <p>{error instanceof Error ? error.message : String(error)}</p>
      </main>,
      page,
    );
  });
}
