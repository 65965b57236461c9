// Tags as the server takes them.

/// The characters of a tag, and the tags of an answer.
export const LONGEST_TAG = 50;
export const MOST_TAGS = 16;

/// The tags with those of a typed text, which `;` separates, each once and in order. Further ones
/// than the server takes are dropped.
export function withTyped(tags: readonly string[], typed: string): string[] {
  const clean = typed
    .split(";")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the server takes none
    .map((tag) => tag.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim())
    .map((tag) => [...tag].slice(0, LONGEST_TAG).join("").trim())
    .filter((tag) => tag !== "");
  return [...new Set([...tags, ...clean])].slice(0, MOST_TAGS);
}

/// The tags without this one, or with it as it is: suggestions may be longer than typed tags.
export function withSwitched(tags: readonly string[], tag: string): string[] {
  if (tags.includes(tag)) return tags.filter((one) => one !== tag);
  return [...tags, tag].slice(0, MOST_TAGS);
}

/// The suggestions that contain the typed text in any case, with those that begin with it first.
export function matching(suggested: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLocaleLowerCase();
  const at = (tag: string) => tag.toLocaleLowerCase().indexOf(wanted);
  const found = suggested.filter((tag) => at(tag) >= 0);
  return [...found.filter((tag) => at(tag) === 0), ...found.filter((tag) => at(tag) > 0)];
}
