import type { Page } from "playwright/test";

/** The colour themes that the product has. */
export const THEMES = ["dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** Shows the page in this theme, as its switch would. */
export async function wearTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, theme);
}
