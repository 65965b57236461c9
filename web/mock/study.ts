// A labelling study in memory, with the server's interface. It is enough to work on the pages and
// to test them without the server. Its data are lost when it ends.

import type { Answer, GivenScreen, LabelText, Screen, TakenScreen, Task } from "../src/shared/api";

export interface StudyOptions {
  task: Task;
  title: string;
  study: string;
  training: number;
  ahead: number;
  screens: number;
  /// The cells of a screen. A yes-no task has one.
  cells: number;
  /// Tags to suggest, or null if there are none.
  tags: string[] | null;
}
export const DEFAULTS: StudyOptions = {
  task: "yes-no",
  title: "Birds of the garden",
  study: "b1d5",
  training: 0,
  ahead: 4,
  screens: 60,
  cells: 1,
  tags: null,
};

export interface MockPerson {
  id: number;
  name: string;
  token: string;
  revoked: boolean;
  blocked: boolean;
  holding: string[];
  given: Map<string, Map<string, Answer>>;
  tags: Map<string, string[]>;
  trainingDone: number;
}

export const LABELS: LabelText[] = [
  {
    id: "n01532829",
    name: "house finch",
    definition: "small finch originally of the western United States and Mexico",
    synonyms: ["linnet", "Carpodacus mexicanus"],
  },
  {
    id: "n01558993",
    name: "American robin",
    definition:
      "large American thrush having a rust-red breast and abdomen, often seen on lawns where it " +
      "pulls up earthworms, and known for a song of clear whistled phrases",
    synonyms: ["robin", "Turdus migratorius", "redbreast", "robin redbreast", "merle", "fieldfare"],
  },
  { id: "n01580077", name: "jay", definition: "crestless blue-grey jay", synonyms: [] },
  { id: "n01592084", name: "chickadee", definition: "", synonyms: ["black-capped titmouse"] },
  { id: "n01601694", name: "water ouzel", definition: "small stocky diving bird", synonyms: [] },
];

export class Study {
  readonly people: MockPerson[] = [];
  readonly screens: Screen[] = [];
  paused = false;
  /// The received answers by key, for the tests.
  readonly kept = new Map<string, { person: string; given: GivenScreen; repeated: number }>();
  /// Questions whose image cannot be read.
  readonly broken = new Set<string>();

  constructor(readonly options: StudyOptions) {
    const several = options.task === "labels" ? Math.min(options.cells, LABELS.length) : 1;
    for (let at = 0; at < options.screens; at += 1) {
      const first = Math.floor(at / 5) % LABELS.length;
      const labels = Array.from(
        { length: several },
        (_, place) => LABELS[(first + place) % LABELS.length] as LabelText,
      );
      const cells = Array.from({ length: options.cells }, (_, place) => ({
        question: `question${String(at).padStart(4, "0")}x${place}`,
        label: several > 1 ? place % several : 0,
      }));
      const training = at < options.training;
      this.screens.push({ screen: `screen${at}token`, training, labels, cells, said: [] });
    }
  }

  add(name: string, token = `token-of-${name}-${this.people.length + 1}`): MockPerson {
    const found = this.people.find((person) => person.name === name);
    if (found) return found;
    const person: MockPerson = {
      ...{ id: this.people.length + 1, name, token, revoked: false, blocked: false },
      ...{ holding: [], given: new Map(), tags: new Map(), trainingDone: 0 },
    };
    this.people.push(person);
    return person;
  }

  take(person: MockPerson, given: GivenScreen): TakenScreen {
    const taken: TakenScreen = { key: given.key, state: "recorded", message: "", feedback: [] };
    const screen = this.screens.find((one) => one.screen === given.screen);
    const before = this.kept.get(given.key);
    const complete = screen?.cells.every((cell) =>
      given.answers.some((one) => one.question === cell.question),
    );
    if (!screen || !complete) {
      return { ...taken, state: "refused", message: "This screen is not known any more." };
    }
    if (before) {
      before.repeated += 1;
      taken.state = "repeated";
    } else {
      this.kept.set(given.key, { person: person.name, given, repeated: 0 });
      if (screen.training && !person.given.has(screen.screen)) person.trainingDone += 1;
      const answers = given.answers.map((one): [string, Answer] => [one.question, one.answer]);
      person.given.set(screen.screen, new Map(answers));
      person.tags.set(screen.screen, given.tags ?? []);
    }
    if (screen.training) {
      taken.feedback = given.answers.map(({ question, answer }) => {
        const known = this.known(question);
        return { question, known, correct: answer === known };
      });
    }
    return taken;
  }

  /// Every third question shows its label.
  known(question: string): "yes" | "no" {
    const numbers = question.match(/\d+/g)?.map(Number) ?? [0];
    return numbers.reduce((sum, number) => sum + number, 0) % 3 === 0 ? "yes" : "no";
  }

  next(person: MockPerson, holding: string[], wanted: number): Screen[] {
    const held = new Set(holding);
    const open = this.screens.filter(
      (screen) =>
        !person.given.has(screen.screen) &&
        !held.has(screen.screen) &&
        !screen.cells.some(
          (cell) => this.options.task !== "grid" && this.broken.has(cell.question),
        ),
    );
    const screens = this.paused ? [] : open.slice(0, wanted);
    person.holding = [...holding, ...screens.map((screen) => screen.screen)];
    return screens;
  }

  /// Images are sent to people who hold or have answered their screen.
  shows(person: MockPerson, question: string): boolean {
    const screen = this.screens.find((one) => one.cells.some((cell) => cell.question === question));
    if (!screen) return false;
    return person.given.has(screen.screen) || person.holding.includes(screen.screen);
  }

  left(person: MockPerson): number {
    return this.screens.length - person.given.size;
  }
}
