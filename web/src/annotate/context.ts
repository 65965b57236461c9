// The context of every component of the annotators' page.

import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import type { Task } from "../shared/api";
import type { Texts } from "../shared/strings";
import type { ImageStore } from "./images";
import { counts, isCovered } from "./keys";
import type { Session, View } from "./session";

export interface PageContext {
  texts: Texts;
  session: Session;
  images: ImageStore;
  task: Task;
}
export interface TaskProps {
  view: View;
}

export const Page = createContext<PageContext | null>(null);

/// For pages that show a message before there are questions.
export const Speech = createContext<Texts | null>(null);

export function useTexts(): Texts {
  const texts = useContext(Speech);
  if (!texts) throw new Error("a component is outside of the page");
  return texts;
}

export function usePage(): PageContext {
  const page = useContext(Page);
  if (!page) throw new Error("a component is outside of the page");
  return page;
}

/// Handles all keys of the page, for any focus. While a dialog is open, only the dialog's own keys
/// count. The handler returns whether it used the key.
export function useKeys(
  handler: (event: KeyboardEvent) => boolean,
  place: "page" | "dialog" = "page",
): void {
  const latest = useRef(handler);
  latest.current = handler;
  // Runs before the screen is drawn, because people may press a key before an effect that
  // runs later.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || (place === "page" && isCovered(document))) return;
      if (event.repeat && (event.key === " " || event.key === "Enter")) event.preventDefault();
      if (counts(event) && latest.current(event)) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [place]);
}
