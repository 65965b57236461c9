// Light or dark mode. It follows the system's settings until the user presses the toggle.

const NAME = "assay.theme";
type Theme = "light" | "dark";

function systemTheme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function show(theme: string | null): void {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
}

export function applyTheme(): void {
  try {
    show(localStorage.getItem(NAME));
  } catch {
    // Without storage, the system's setting applies.
  }
}

export function toggleTheme(): void {
  const now = document.documentElement.dataset["theme"] ?? systemTheme();
  const next = now === "dark" ? "light" : "dark";
  show(next);
  try {
    localStorage.setItem(NAME, next);
  } catch {
    // The choice applies until the page is closed.
  }
}
