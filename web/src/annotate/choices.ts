// The choices on a screen with several questions, before they are sent.

import type { Answer, QuestionAnswer, Screen } from "../shared/api";

export type Choices = ReadonlyMap<string, Answer>;

/// No choices, or those of the earlier answers.
export function choicesOf(screen: Screen): Choices {
  const chosen = new Map<string, Answer>();
  screen.cells.forEach((cell, place) => {
    const said = screen.said[place];
    if (said && said !== "no") chosen.set(cell.question, said);
  });
  return chosen;
}

/// Choosing the same answer again removes it.
export function toggled(choices: Choices, question: string, answer: Answer): Choices {
  const next = new Map(choices);
  if (next.get(question) === answer) next.delete(question);
  else next.set(question, answer);
  return next;
}

export function countOf(choices: Choices, answer: Answer): number {
  return [...choices.values()].filter((one) => one === answer).length;
}

/// Labels that were not chosen do not apply. An image that cannot be shown gets no answer.
export function answersOf(
  screen: Screen,
  choices: Choices,
  missing: ReadonlySet<string> = new Set(),
): QuestionAnswer[] {
  return screen.cells
    .filter(({ question }) => !missing.has(question))
    .map(({ question }) => ({ question, answer: choices.get(question) ?? "no" }));
}
