// What is chosen on a screen with several questions, before it is given.

import type { Answer, QuestionAnswer, Screen } from "../shared/api";

export type Choices = ReadonlyMap<string, Answer>;

/// Nothing, or what was said before.
export function choicesOf(screen: Screen): Choices {
  const chosen = new Map<string, Answer>();
  screen.cells.forEach((cell, place) => {
    const said = screen.said[place];
    if (said && said !== "no") chosen.set(cell.question, said);
  });
  return chosen;
}

/// The same answer again takes it back.
export function toggled(choices: Choices, question: string, answer: Answer): Choices {
  const next = new Map(choices);
  if (next.get(question) === answer) next.delete(question);
  else next.set(question, answer);
  return next;
}

export function countOf(choices: Choices, answer: Answer): number {
  return [...choices.values()].filter((one) => one === answer).length;
}

/// What was not chosen does not apply. Of an image that cannot be shown nothing is said.
export function answersOf(
  screen: Screen,
  choices: Choices,
  missing: ReadonlySet<string> = new Set(),
): QuestionAnswer[] {
  return screen.cells
    .filter(({ question }) => !missing.has(question))
    .map(({ question }) => ({ question, answer: choices.get(question) ?? "no" }));
}
