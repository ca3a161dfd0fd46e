import { around, record } from "@shared/testing/performance-record.ts";
import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { holdRequests, keepSignal } from "../support/network.ts";
import { expectStill, observeLayoutShifts, untilPainted } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const RECORD = new RegExp(`^${apiUrl}/performance\\?`);

const NO_EDGE =
  "Not shown to be better than chance after costs: an edge of −3.0 percentage points (−8.0 to +2.0 however often one looks; break-even at +1.1).";

const trade = {
  final_signal: "SELL",
  confidence: 62,
  entry: 100,
  stop_loss: 102,
  take_profit: 96,
  calibrated_confidence: null,
} as const;

/** Lets the bot that `page` opens show a trade of a new trader; gives its id. */
async function prepareTrade(page: Page): Promise<string> {
  const trader = await makeTrader({ approved: true });
  const signal = await makeSignal(trader, { symbol: "BTC/USDT" });
  if (!signal.analysis) throw new Error("the signal has no analysis");
  await signIn(page, trader);
  await keepSignal(page, { ...signal, analysis: { ...signal.analysis, ...trade } });
  return signal.signal_id;
}

test("nothing moves as the record of the analyst arrives", async ({ page }) => {
  const card = page.locator("[data-signal]");
  const panel = page.getByRole("region", { name: "Record of this analyst version, demo data" });
  await observeLayoutShifts(page);
  await page.route(RECORD, (route) =>
    route.fulfill({
      json: { ...record, lift: around(-0.03, 0.04), edge_bounds: { low: -0.08, high: 0.02 } },
      headers: { "Access-Control-Allow-Origin": "*" },
    }),
  );
  const id = await prepareTrade(page);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 2_400 });
    const held = await holdRequests(page, { url: RECORD });
    await page.goto("/bot");
    await expect(panel.getByRole("status")).toBeVisible();
    await expect(page.locator("canvas").first()).toBeVisible();
    await untilPainted(page);
    const before = await card.boundingBox();
    held.release();
    await expect(panel).toContainText(NO_EDGE);
    await untilPainted(page);
    expect((await card.boundingBox())?.height).toBe(before?.height);
    await expectStill(page, { limit: 0.05, what: `the result card at ${width} px` });
  }
  await page.goto(`/signals/${id}`);
  await expect(panel).toContainText(NO_EDGE);
  for (const name of ["Entry", "Position size", "Dollar risk", "Required margin"]) {
    await expect(card.getByText(name, { exact: true })).toBeVisible();
  }
});
