import { devices, expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const { defaultBrowserType: _, ...phone } = devices["iPhone 13"];
test.use(phone);

const LEAST_PX = 40;

/** The name and height of each button that a finger would miss. */
const smallButtons = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    return [...document.querySelectorAll("button, summary, footer a")]
      .filter(isShown)
      .map((element) => ({ element, height: element.getBoundingClientRect().height }))
      .filter(({ height }) => height > 1 && height < least)
      .map(({ element, height }) => `${element.ariaLabel ?? element.textContent} ${height}`);
  }, LEAST_PX);

/** Shows another screen as the browser's Back button does: the application goes there without being loaded again. */
const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);

test("what a trader taps on a phone is large enough for a finger, and the controls of a chart are one line", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true });
  const { signal_id: id } = await makeSignal(trader, { symbol: "BTC/USDT" });
  await signIn(page, trader);
  await page.goto("/results");
  for (const path of ["/bot", "/signal-history", "/watchlist", "/user-panel", "/results"]) {
    await goTo(page, path);
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    expect.soft(await smallButtons(page), path).toEqual([]);
  }
  await goTo(page, `/signals/${id}`);
  await expect(page.getByRole("button", { name: "Zoom out" })).toBeVisible();
  expect(await smallButtons(page)).toEqual([]);
  const controls = page.getByRole("group", { name: "Chart controls" });
  await expect(controls).toBeVisible();
  const tops = await controls
    .getByRole("button")
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
});
