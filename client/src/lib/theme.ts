import { useSyncExternalStore } from "react";

/** What can be chosen; `system` follows the device. `public/theme.js` keeps it and puts it on the page. */
export const THEME_CHOICES = ["light", "dark", "system"] as const;
export type ThemeChoice = (typeof THEME_CHOICES)[number];
export type Theme = "dark" | "light";

const page = document.documentElement;

function onChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(page, { attributeFilter: ["data-theme", "data-theme-choice"] });
  return () => observer.disconnect();
}

const shown = (): Theme => (page.dataset.theme === "light" ? "light" : "dark");
const chosen = (): ThemeChoice =>
  THEME_CHOICES.find((choice) => choice === page.dataset.themeChoice) ?? "dark";

/** The theme that is on the page now; for what cannot follow the style sheet. */
export const useTheme = (): Theme => useSyncExternalStore(onChange, shown);

/** What the reader has chosen. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(onChange, chosen);

/** Changes the theme of this tab and of all others. */
export function chooseTheme(choice: ThemeChoice): void {
  window.dispatchEvent(new CustomEvent("themechoice", { detail: choice }));
}
