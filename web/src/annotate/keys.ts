// The meaning of keys. The letters are translated texts, because `y` for `yes` is English.

export interface KeyPress {
  key: string;
  code: string;
  repeat: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  isComposing?: boolean;
}

/// If a dialog is open, the page ignores keys. Esc only closes the dialog.
export function isCovered(page: Pick<ParentNode, "querySelector">): boolean {
  return page.querySelector("dialog[open]") !== null;
}

/// A held-down key answers once. With Control or similar keys it belongs to the browser.
export function counts(event: KeyPress): boolean {
  const modified = event.ctrlKey || event.altKey || event.metaKey;
  return !event.repeat && !modified && event.isComposing !== true;
}

/// Whether the key of this letter was pressed. On a keyboard of another script, on which `y` cannot
/// be typed, the key at its position on an English keyboard counts.
export function isLetter(event: KeyPress, letter: string): boolean {
  const wanted = letter.toLowerCase();
  if (event.key.toLowerCase() === wanted) return true;
  const otherScript = event.key.length === 1 && event.key > "\u007f";
  return otherScript && /^[a-z]$/.test(wanted) && event.code === `Key${wanted.toUpperCase()}`;
}

/// 1 to 9 for keys of the row above the letters or of the number pad, with or without Shift; 0 for
/// another key.
export function digit(event: KeyPress): number {
  return Number(/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] ?? 0);
}

/// The step of an arrow key in a grid with this reading direction, or null for another key.
export function arrow(key: string, rightToLeft: boolean): { across: number; down: number } | null {
  const forward = rightToLeft ? -1 : 1;
  switch (key) {
    case "ArrowRight":
      return { across: forward, down: 0 };
    case "ArrowLeft":
      return { across: -forward, down: 0 };
    case "ArrowUp":
      return { across: 0, down: -1 };
    case "ArrowDown":
      return { across: 0, down: 1 };
    default:
      return null;
  }
}

/// If a button was reached with the Tab key, Space and Enter press it. After a click, the focus on
/// a button is accidental, and keys keep their meaning on the page.
export function belongsToFocus(event: { key: string; target: EventTarget | null }): boolean {
  if (event.key !== " " && event.key !== "Enter") return false;
  const target = event.target;
  if (!(target instanceof Element)) return false;
  return target.matches("button:focus-visible, summary:focus-visible, a:focus-visible");
}
