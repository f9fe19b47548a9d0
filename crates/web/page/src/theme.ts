// Light, dark, or as the system says.

import { remember, remembered } from "./remember.ts";

type Theme = "auto" | "light" | "dark";
const ORDER: readonly Theme[] = ["auto", "light", "dark"];

export function currentTheme(): Theme {
  return ORDER.find((theme) => theme === remembered("theme")) ?? "auto";
}

export function nextTheme(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "auto";
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  remember("theme", theme);
  window.dispatchEvent(new Event("theme"));
}
