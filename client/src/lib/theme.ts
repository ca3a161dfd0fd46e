import { useSyncExternalStore } from "react";

/** Available themes. `public/before-paint.js` stores and applies the choice. */
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

/** The theme of the pre-rendered pages. */
const unchosen = () => "dark" as const;

/** The theme in use, for content that style sheets cannot reach. */
export const useTheme = (): Theme => useSyncExternalStore(onChange, shown, unchosen);

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(onChange, chosen, unchosen);

/** Changes the theme in all tabs. */
export function chooseTheme(choice: ThemeChoice): void {
  window.dispatchEvent(new CustomEvent("themechoice", { detail: choice }));
}
