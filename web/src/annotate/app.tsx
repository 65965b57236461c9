// The annotators' page: the header, the current question, and notes about the connection.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Welcome } from "../shared/api";
import type { TextKey } from "../shared/strings";
import { toggleTheme } from "../shared/theme";
import { ThemeButton } from "../shared/theme_button";
import { usePage, useTexts } from "./context";
import { Grid } from "./grid";
import { Labels } from "./labels";
import type { View } from "./session";
import { UndoButton } from "./tools";
import { YesNo } from "./yes_no";

export function App({ view, welcome }: { view: View; welcome: Welcome }) {
  return (
    <>
      <Header view={view} welcome={welcome} />
      <Body view={view} />
      <Notes view={view} />
    </>
  );
}

function Body({ view }: { view: View }) {
  const { task } = usePage();
  const { phase, screen } = view;
  if ((phase === "working" || phase === "feedback") && screen) {
    // Every screen has a new component, so no choice is kept. With one image and one
    // question the component stays, so that the focus stays, too.
    const name = `${screen.screen} ${view.review}`;
    if (task === "grid") return <Grid key={name} view={view} />;
    if (task === "labels") return <Labels key={name} view={view} />;
    return <YesNo view={view} />;
  }
  if (phase === "paused") return <Message title="paused_title" text="paused_text" />;
  if (phase === "nothing") {
    return (
      <Message title="nothing_title" text="nothing_text" cheerful>
        {view.canUndo && <UndoButton view={view} />}
      </Message>
    );
  }
  if (phase === "stopped") return <Stopped view={view} />;
  return <Message title={phase === "waiting" ? "waiting" : "starting"} quiet />;
}

export function Message(props: {
  title: TextKey;
  text?: TextKey;
  message?: string;
  cheerful?: boolean;
  quiet?: boolean;
  children?: ComponentChildren;
}) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { title, text, message = "" } = props;
  return (
    <main class={props.quiet ? "message quiet" : "message"}>
      {props.cheerful && <Tick />}
      <h1 tabIndex={-1} ref={heading}>
        {texts.text(title)}
      </h1>
      {text && <p>{texts.text(text, { message })}</p>}
      {props.children}
    </main>
  );
}

function Stopped({ view }: { view: View }) {
  const code = view.stopped?.code;
  if (code === "revoked") return <Message title="revoked_title" text="revoked_text" />;
  if (code === "unknown_token") {
    return <Message title="unknown_token_title" text="unknown_token_text" />;
  }
  const message = view.stopped?.message ?? "";
  return <Message title="stopped_title" text="stopped_text" message={message} />;
}

function Tick() {
  return (
    <svg class="tick" viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="22" />
      <path d="M14 25l7 7 13-15" />
    </svg>
  );
}

function Header({ view, welcome }: { view: View; welcome: Welcome }) {
  const texts = useTexts();
  const answered = view.answered;
  const total = answered + view.left;
  const started = total > 0;
  return (
    <header class="top">
      <div class="names">
        <p class="title" dir="auto">
          {welcome.title}
        </p>
        <p class="person">{welcome.name}</p>
      </div>
      <p class="figures" dir="auto" aria-live="polite">
        {started && texts.text("progress_text", { answered, total })}
      </p>
      <ThemeButton name={texts.text("theme")} press={toggleTheme} />
      <progress
        aria-label={texts.text("progress")}
        max={Math.max(1, total)}
        value={started ? answered : 0}
      />
    </header>
  );
}

/// One element for announcements. Screen readers read its changes, and it never moves the page.
function Notes({ view }: { view: View }) {
  const texts = useTexts();
  const { trouble, notice, kept, unstored, message } = view;
  const stored = unstored === 0;
  const starting = view.phase === "starting";
  return (
    <div class="notes" role="status">
      {!stored && <p class="note warning">{texts.text("unkept")}</p>}
      {trouble === "error" && <p class="note warning">{texts.text("server_error", { message })}</p>}
      {stored && (trouble === "busy" || trouble === "offline") && (
        <p class="note warning">
          {trouble === "busy" && texts.text("busy", { count: kept })}
          {trouble === "offline" &&
            texts.text(starting ? "offline_start" : "offline", { count: kept })}
        </p>
      )}
      {trouble === "none" && notice && <p class="note">{texts.text(notice.key, notice.values)}</p>}
      {view.phase === "stopped" && stored && kept > 0 && (
        <p class="note warning">{texts.text("kept_count", { count: kept })}</p>
      )}
    </div>
  );
}
