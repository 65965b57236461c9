// Starts the organiser's page.

import { render } from "preact";
import { ApiError, Connection } from "../shared/api";
import { applyTheme } from "../shared/theme";
import { takeToken } from "../shared/token";
import { App } from "./app";
import { Organiser, type OrganiserContext } from "./context";
import { Poll, type Polled } from "./poll";
import "../style/organiser.css";

const NAME = "assay.organiser";
const SAID_FOR = 6000;

const root = document.getElementById("page") as HTMLElement;
let polled: Polled = { status: null, failure: "", refused: null };
let said = "";
let silence: ReturnType<typeof setTimeout> | undefined;

/// The organiser's link gives full access, so it is only kept until the tab is closed.
function tokenOfTab(): string {
  const forget = (path: string) => history.replaceState(null, "", path);
  let storages: Storage[] = [];
  try {
    storages = [window.sessionStorage];
  } catch {
    // Without storage, a reload needs the link again.
  }
  return takeToken(location, forget, storages, NAME);
}

function start(): void {
  applyTheme();
  const token = tokenOfTab();
  const connection = new Connection(token);
  const draw = () =>
    render(
      <Organiser.Provider value={context}>
        <App polled={polled} said={said} />
      </Organiser.Provider>,
      root,
    );
  const poll = new Poll(connection, (next) => {
    polled = next;
    const { status } = next;
    document.title = status ? `${status.title} – the organiser’s page` : "The organiser’s page";
    draw();
  });
  const say = (sentence: string) => {
    said = sentence;
    clearTimeout(silence);
    silence = setTimeout(() => say(""), SAID_FOR);
    draw();
  };
  const context: OrganiserContext = {
    connection,
    say,
    async change<T>(path: string, body: unknown): Promise<T | null> {
      try {
        const result = await connection.post<T>(path, body);
        await poll.ask();
        return result;
      } catch (error) {
        const why = error instanceof ApiError ? error.message : "the server cannot be reached";
        say(`That was not possible: ${why}`);
        return null;
      }
    },
  };
  if (token === "") {
    polled = { ...polled, refused: new ApiError(401, "", "", 0) };
    draw();
    return;
  }
  draw();
  poll.start();
}

addEventListener("hashchange", () => {
  if (location.hash.length > 1) location.reload();
});
start();
