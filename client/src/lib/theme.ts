import { useSyncExternalStore } from "react";

/** What can be chosen; `system` follows the device. `public/before-paint.js` keeps it and puts it on the page. */
export const THEME_CHOICES = ["light", "dark", "system"] as const;
export type ThemeChoice = (typeof THEME_CHOICES)[number];
export type Theme = "dark" | "light";

function onChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, {
    attributeFilter: ["data-theme", "data-theme-choice"],
  });
  return () => observer.disconnect();
}

const shown = (): Theme => (document.documentElement.dataset.theme === "light" ? "light" : "dark");
const chosen = (): ThemeChoice =>
  THEME_CHOICES.find((choice) => choice === document.documentElement.dataset.themeChoice) ?? "dark";

/** What the pre-rendered pages are made for. */
const unchosen = () => "dark" as const;

/** The theme that is on the page now; for what cannot follow the style sheet. */
export const useTheme = (): Theme => useSyncExternalStore(onChange, shown, unchosen);

/** What the reader has chosen. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(onChange, chosen, unchosen);

/** Changes the theme of this tab and of all others. */
export function chooseTheme(choice: ThemeChoice): void {
  window.dispatchEvent(new CustomEvent("themechoice", { detail: choice }));
}
