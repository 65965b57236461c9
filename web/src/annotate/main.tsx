// Starts the annotators' page: reads the link, the language and the first questions.

import { render } from "preact";
import { ApiError, Connection, type Welcome } from "../shared/api";
import { type TextKey, Texts } from "../shared/strings";
import { applyTheme } from "../shared/theme";
import { takeToken } from "../shared/token";
import { App, Message } from "./app";
import { Page, Speech } from "./context";
import { ImageStore } from "./images";
import { Past } from "./past";
import { AnswerQueue, keptInAll } from "./queue";
import { Session } from "./session";
import { imagesOf, ownerOf, patiently, readTexts } from "./start";
import "../style/annotate.css";

const NAME = "assay.token";
const root = document.getElementById("page") as HTMLElement;
let texts = new Texts();

/// Null if the browser forbids storage. Answers are then lost when the tab is closed.
function storageOf(name: "localStorage" | "sessionStorage"): Storage | null {
  try {
    return window[name];
  } catch {
    return null;
  }
}

async function speak(connection: Connection): Promise<void> {
  texts = await readTexts(connection);
  document.documentElement.lang = texts.lang;
  document.documentElement.dir = texts.dir;
}

function say(title: TextKey, text?: TextKey, kept = 0): void {
  const children = kept > 0 && <p>{texts.text("kept_count", { count: kept })}</p>;
  const more = text ? { text } : { quiet: true };
  render(
    <Speech.Provider value={texts}>
      <Message title={title} {...more}>
        {children}
      </Message>
    </Speech.Provider>,
    root,
  );
}

function work(connection: Connection, welcome: Welcome, queue: AnswerQueue, past: Past): void {
  // If the server does not know the held screens, the sender reports them.
  const images = new ImageStore(connection, () => session.sender.poke());
  const draw = () => {
    images.keep(imagesOf(session.upcoming(), welcome));
    render(
      <Speech.Provider value={texts}>
        <Page.Provider value={{ texts, session, images, task: welcome.task }}>
          <App view={session.view()} welcome={welcome} />
        </Page.Provider>
      </Speech.Provider>,
      root,
    );
  };
  const session = new Session(connection, queue, past, welcome, draw);
  const retry = () => {
    session.sender.retryNow();
    images.retryNow();
  };
  addEventListener("online", retry);
  addEventListener("beforeunload", (event) => {
    if (queue.unstored().length > 0) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") retry();
  });
  draw();
  session.start();
}

async function start(): Promise<void> {
  applyTheme();
  const local = storageOf("localStorage");
  const tab = storageOf("sessionStorage");
  const storages = [tab, local].filter((storage) => storage !== null);
  const forget = (path: string) => history.replaceState(null, "", path);
  const token = takeToken(location, forget, storages, NAME);
  const connection = new Connection(token);
  await speak(connection);
  if (token === "") return say("no_token_title", "no_token_text");
  say("starting");
  let welcome: Welcome;
  try {
    const ask = () => connection.get<Welcome>("/api/welcome");
    welcome = await patiently(ask, () => say("starting", "offline_start"));
  } catch (error) {
    const revoked = error instanceof ApiError && error.code === "revoked";
    const kept = keptInAll(local);
    if (revoked) return say("revoked_title", "revoked_text", kept);
    return say("unknown_token_title", "unknown_token_text", kept);
  }
  // The server may have become available only now, and so its language.
  await speak(connection);
  document.title = texts.text("page_title", { title: welcome.title });
  const owner = ownerOf(welcome);
  if (owner === null) return say("version_title", "version_text", keptInAll(local));
  work(connection, welcome, new AnswerQueue(local, owner), new Past(tab, owner));
}

/// If another person's link is opened in the same tab, only the fragment of the address changes.
addEventListener("hashchange", () => {
  if (location.hash.length > 1) location.reload();
});
void start();
