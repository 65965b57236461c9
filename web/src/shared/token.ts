// The person of this page: the token in the link, `URL/#TOKEN`. It is removed from the address bar
// at once, so that it is in no history, bookmark or screenshot.

interface Place {
  hash: string;
  pathname: string;
}

/// The token in the address, which replaces a stored one. Otherwise the stored one, or "". The
/// first storage with a token is used, so a tab keeps its own link.
export function takeToken(
  place: Place,
  forget: (path: string) => void,
  storages: Storage[],
  name: string,
): string {
  const given = place.hash.replace(/^#/, "");
  if (given !== "") {
    forget(place.pathname);
    if (isToken(given)) {
      for (const storage of storages) attempt(() => storage.setItem(name, given));
      return given;
    }
  }
  for (const storage of storages) {
    const stored = attempt(() => storage.getItem(name));
    if (stored && isToken(stored)) return stored;
  }
  return "";
}

function isToken(text: string): boolean {
  return /^[\w.~-]{8,200}$/.test(text);
}

/// Storage may be forbidden or full. Then the page works as long as the tab is open.
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
