import { expect, type Page } from "playwright/test";
import { actAsAdmin, makeSignal, makeTrader } from "../support/api.ts";
import { DESKTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const headings = (page: Page) => page.locator("[data-signal]").getByRole("heading");

test("filters are asked of the server, also for signals that are still to come, many cards fit the screen, and what an administrator deletes goes at once", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true });
  for (const symbol of ["BTC/USDT", "EUR/USD"]) await makeSignal(trader, { symbol });
  await signIn(page, trader);
  await page.goto("/signal-history");
  await expect(headings(page)).toHaveText([/^EUR\/USD/, /^BTC\/USDT/]);
  const asked = page.waitForRequest((request) => request.url().includes("symbol=USDT"));
  await page.getByRole("searchbox", { name: "Symbol" }).fill("usdt");
  await asked;
  await expect(headings(page)).toHaveText([/^BTC\/USDT/]);
  await makeSignal(trader, { symbol: "GBP/USD" });
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await expect(headings(page)).toHaveText([/^ETH\/USDT/, /^BTC\/USDT/]);
  await page.getByLabel("Timeframe").selectOption("1h");
  await expect(page.getByText("2 matching signals.")).toBeVisible();
  await expect(page.getByLabel("Totals")).toContainText("Signals2");
  await page.getByTitle("Open this signal").first().click();
  await expect(page).toHaveURL(/\/signals\/\w+$/);
  await page.goBack();
  await expect(page).toHaveURL(/\?symbol=USDT&timeframe=1h$/);
  await expect(headings(page)).toHaveText([/^ETH\/USDT/, /^BTC\/USDT/]);
  // Signals of one analysis are one card.
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await expect(page.getByText("asked 2 times")).toBeVisible();
  await expect(headings(page)).toHaveCount(2);
  await resetAtOnce(page);
  await expect(headings(page)).toHaveCount(4);
  const waits = page.locator('[data-signal="wait"]');
  await expect(waits.getByText(/^(PENDING|WIN|LOSS|EXPIRED)$/)).toHaveCount(0);
  expect(await cardsInView(page, DESKTOP)).toBeGreaterThanOrEqual(8);
  expect(await cardsInView(page, PHONE)).toBeGreaterThanOrEqual(4);
  await actAsAdmin(`/admin/delete-signal-history/${trader.username}`);
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
});

/** Changes both filters before the browser has had time to paint the first change. */
async function resetAtOnce(page: Page): Promise<void> {
  const timeframe = await page.getByLabel("Timeframe").elementHandle();
  await page.getByRole("searchbox", { name: "Symbol" }).evaluate(async (symbol, select) => {
    if (!(symbol instanceof HTMLInputElement && select instanceof HTMLSelectElement)) {
      throw new Error("a filter is missing");
    }
    symbol.select();
    document.execCommand("delete");
    // Only promises that are resolved: effects and timers come later.
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    select.selectedIndex = 0;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }, timeframe);
}

/** As many of the tallest card as the first screen has room for. */
async function cardsInView(page: Page, size: typeof DESKTOP): Promise<number> {
  await page.setViewportSize(size);
  const cards = page.locator("[data-signal]");
  await expect(cards).toHaveCount(4);
  const boxes = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
  const [first, second] = boxes;
  if (!first || !second) throw new Error("the history has no cards");
  const gap = second.y - first.y - first.height;
  const tallest = Math.max(...boxes.map((box) => box?.height ?? 0));
  return Math.floor((size.height - first.y + gap) / (tallest + gap));
}
