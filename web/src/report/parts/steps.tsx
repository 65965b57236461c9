// A choice among a few ordered values, such as budgets. The arrow keys step through them.
import { useId } from "preact/hooks";
import { short } from "./names.ts";
import type { Choice } from "./one_of.tsx";

interface StepsProps {
  label: string;
  choices: Choice[];
  value: string;
  choose: (value: string) => void;
}

/** Shows nothing if there is only one choice. */
export function Steps({ label, choices, value, choose }: StepsProps) {
  const name = useId();
  if (choices.length < 2) return null;
  return (
    <fieldset class="choice steps">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => choose(choice.value)}
          />
          <span>{short(choice.text, 24)}</span>
        </label>
      ))}
    </fieldset>
  );
}
