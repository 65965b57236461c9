// The organiser's requests to the study in memory. Figures that need a larger study are made up.

import type { Estimate, PersonStatus, ServiceStatus } from "../src/organiser/api";
import type { MockPerson, Study } from "./study.ts";

export const ORGANISER = "token-of-the-organiser";

function proportion(correct: number, n: number): Estimate {
  if (n === 0) return { value: null, low: null, high: null, n: 0, reason: "no answers yet" };
  const value = correct / n;
  const half = 1.96 * Math.sqrt((value * (1 - value) + 0.05) / n);
  return { value, low: Math.max(0, value - half), high: Math.min(1, value + half), n };
}

export function linkOf(person: MockPerson, origin: string): string {
  return `${origin}/#${person.token}`;
}

function statusOf(person: MockPerson, origin: string): PersonStatus {
  const answers = [...person.given.values()].flatMap((one) => [...one.values()]);
  const yes = answers.filter((answer) => answer === "yes").length;
  const known = Math.floor(answers.length / 5);
  const poor = person.name.startsWith("Q");
  return {
    id: person.id,
    name: person.name,
    revoked: person.revoked,
    blocked: person.blocked,
    here: !person.revoked && person.id % 2 === 1,
    answers: answers.length,
    yes,
    cannot_say: answers.filter((answer) => answer === "cannot-say").length,
    holding: person.holding.length,
    seconds_per_screen: answers.length > 0 ? 1.4 + person.id / 3 : null,
    gold: proportion(Math.round(known * (poor ? 0.55 : 0.95)), known),
    agreement: proportion(Math.round(answers.length * (poor ? 0.55 : 0.92)), answers.length),
    findings: poor ? ["55 % of known answers, where 75 % are expected"] : [],
    link: person.revoked ? undefined : linkOf(person, origin),
  };
}

export function status(study: Study, origin: string): ServiceStatus {
  const people = study.people.map((person) => statusOf(person, origin));
  const answers = people.reduce((sum, person) => sum + person.answers, 0);
  const questions = study.screens.length * study.options.cells;
  const settled = Math.min(questions, Math.floor(answers / 3));
  const problems = [...study.broken].map((question) => ({
    ...{ question, image: `image of ${question}`, path: `images/${question}.JPEG` },
    why: "it is no JPEG, PNG or WebP file",
  }));
  return {
    title: study.options.title,
    task: study.options.task,
    folder: "garden.labelling",
    questions,
    known: study.options.training,
    settled,
    open: questions - settled,
    untouched: Math.max(0, questions - answers),
    unclear: 2,
    skipped: problems.length,
    answers,
    answers_left: (questions - settled) * 3,
    hours_left: answers > 0 ? ((questions - settled) * 3 * 1.9) / 3600 : null,
    agreement: proportion(Math.round(answers * 0.91), answers),
    paused: study.paused,
    people,
    problems,
    outlook: [
      `${settled} of ${questions} questions are settled; ${questions - settled} need more answers.`,
      "The order of the two best models is not sure yet: 64 % of resamples agree.",
    ],
    warnings: problems.length > 0 ? ["Some images cannot be read: their questions wait."] : [],
  };
}
