// Names come from data, so they may be long, contain newlines, or run from right to left.

/** A name on one line, shortened to the space in a plot. */
export function short(name: string, length = 28): string {
  const line = name
    .slice(0, 4 * length)
    // Characters that change the text direction would also affect the text after the name.
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ");
  const letters = [...line];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : line;
}

/** Makes texts unique by numbering repeated ones. */
export function distinct(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let again = 2; seen.has(unique); again += 1) unique = `${name} (${again})`;
    seen.add(unique);
    return unique;
  });
}

/** Every value once, in order of appearance. */
export function once<T>(values: Iterable<T>): T[] {
  return [...new Set(values)];
}
