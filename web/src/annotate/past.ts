// Screens that were answered in this tab, for `undo`. The newest ones have their answers. Older
// ones, and those from before a reload, are only kept by token, and requested again.

import type { QuestionAnswer, Screen } from "../shared/api";

export interface PastScreen {
  token: string;
  screen: Screen | null;
}

const MOST = 200;
const WITH_CONTENTS = 20;

export class Past {
  private list: PastScreen[] = [];
  private readonly name: string;

  constructor(
    private readonly storage: Storage | null,
    owner: string,
  ) {
    this.name = `assay.past.${encodeURIComponent(owner)}`;
    try {
      const stored: unknown = JSON.parse(storage?.getItem(this.name) ?? "[]");
      if (Array.isArray(stored)) {
        const tokens = stored.filter((token): token is string => typeof token === "string");
        this.list = tokens.slice(-MOST).map((token) => ({ token, screen: null }));
      }
    } catch {
      // There is nothing to go back to.
    }
  }

  get length(): number {
    return this.list.length;
  }

  /// 1 is the newest.
  at(back: number): PastScreen | undefined {
    return this.list[this.list.length - back];
  }

  /// A listed screen keeps its place, because another answer does not make it a new
  /// screen.
  put(screen: Screen, answers: QuestionAnswer[], tags: string[] = []): void {
    const given = new Map(answers.map((one) => [one.question, one.answer]));
    const said = screen.cells.map((cell) => given.get(cell.question) ?? "no");
    const entry = { token: screen.screen, screen: { ...screen, said, tags } };
    const place = this.list.findIndex((known) => known.token === entry.token);
    if (place >= 0) this.list[place] = entry;
    else this.list.push(entry);
    this.list = this.list.slice(-MOST);
    const old = this.list[this.list.length - 1 - WITH_CONTENTS];
    if (old) old.screen = null;
    this.store();
  }

  remove(token: string): void {
    this.list = this.list.filter((entry) => entry.token !== token);
    this.store();
  }

  /// The newest screens whose contents are known, newest first.
  recent(count: number): Screen[] {
    const screens = this.list.slice(-count).map((entry) => entry.screen);
    return screens.filter((screen) => screen !== null).reverse();
  }

  private store(): void {
    try {
      this.storage?.setItem(this.name, JSON.stringify(this.list.map((entry) => entry.token)));
    } catch {
      // In this case, undo does not work across a reload.
    }
  }
}
