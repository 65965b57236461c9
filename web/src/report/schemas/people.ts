// assay.people/1: models with people who answered the same images, by error consistency.
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

export interface WithPerson {
  person: string;
  both_correct: number;
  only_model_correct: number;
  only_person_correct: number;
  both_incorrect: number;
  model_accuracy: Estimate;
  person_accuracy: Estimate;
  observed: number;
  by_chance: number;
  error_consistency: Estimate;
}

export interface ModelWithPeople {
  model: string;
  dataset: string;
  without_scores: number;
  mean: Estimate;
  people: WithPerson[];
}

export interface PeopleResult extends Result {
  answers: number;
  unanswered: number;
  between_people: Estimate;
  models: ModelWithPeople[];
  warnings: string[];
}
