/// Whether the text was copied. Pages without TLS cannot use the clipboard, except those of this
/// machine.
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
