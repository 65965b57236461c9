/// Whether it could be copied: the clipboard is closed to pages without TLS, but for this machine's.
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
