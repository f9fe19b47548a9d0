// Light, dark, or as the system says.

export type Theme = "auto" | "light" | "dark";
const ORDER: readonly Theme[] = ["auto", "light", "dark"];

export function currentTheme(): Theme {
  return ORDER.find((theme) => theme === stored()) ?? "auto";
}

function stored(): string | null {
  try {
    return localStorage.getItem("pitree-theme");
  } catch {
    return null;
  }
}

export function nextTheme(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "auto";
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem("pitree-theme", theme);
  } catch {
    // A page without storage forgets it, which is all right.
  }
  window.dispatchEvent(new Event("theme"));
}
