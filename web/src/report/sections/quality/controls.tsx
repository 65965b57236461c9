// Choices above a chart.

export interface Option {
  value: string;
  text: string;
}

interface SelectProps {
  label: string;
  value: string;
  options: Option[];
  set: (value: string) => void;
}

export function Select({ label, value, options, set }: SelectProps) {
  return (
    <label class="quality-control">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  label: string;
  on: boolean;
  set: (on: boolean) => void;
}

export function Check({ label, on, set }: CheckProps) {
  return (
    <label class="quality-check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
