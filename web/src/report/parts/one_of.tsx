// A choice of one value, such as a data set, a model or an order.
import { useId } from "preact/hooks";
import { short } from "./names.ts";

export interface Choice {
  value: string;
  text: string;
}

interface OneOfProps {
  label: string;
  choices: Choice[];
  value: string;
  choose: (value: string) => void;
}

/** Shows nothing if there is only one choice. */
export function OneOf({ label, choices, value, choose }: OneOfProps) {
  const id = useId();
  if (choices.length < 2) return null;
  return (
    <span class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {short(choice.text, 60)}
          </option>
        ))}
      </select>
    </span>
  );
}

export function choicesOf(names: string[]): Choice[] {
  return names.map((name) => ({ value: name, text: name }));
}

/** The value in the address if it is one of the choices, otherwise the first choice. */
export function chosenOf(names: string[], wanted: string): string {
  return names.includes(wanted) ? wanted : (names[0] ?? "");
}
