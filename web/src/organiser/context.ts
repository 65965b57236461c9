// The context of every component of the organiser's page.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Connection } from "../shared/api";

export interface OrganiserContext {
  connection: Connection;
  /// Sends a change, shows its error if it has one, and reads the status again. Null if it failed.
  change<T>(path: string, body: unknown): Promise<T | null>;
  /// Shows a sentence for some seconds.
  say(sentence: string): void;
}

export const Organiser = createContext<OrganiserContext | null>(null);

export function useOrganiser(): OrganiserContext {
  const context = useContext(Organiser);
  if (!context) throw new Error("a component is outside of the page");
  return context;
}
