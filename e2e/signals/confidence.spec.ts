import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { Performance } from "@shared/contract/performance.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { around, noRates, record } from "@shared/testing/performance-record.ts";
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
  // Its request met a candle that had closed long before.
  delivery_delay_ms: 16 * HOUR_MS + 43 * MINUTE_MS,
} as const;

/** Trades that stated what `trade` states: 62 of 214 reached their target first. */
const similar = { from: 60, to: 70, decided: 214, wins: 62, stated: 0.62, won: 0.29, ...noRates };

/** Lets the bot that `page` opens show a trade of a new trader. */
async function prepareTrade(page: Page, traits: Partial<SignalResponse> = {}): Promise<void> {
  const trader = await makeTrader({ approved: true });
  const signal = await makeSignal(trader, { symbol: "BTC/USDT" });
  if (!signal.analysis) throw new Error("the signal has no analysis");
  await signIn(page, trader);
  await keepSignal(page, { ...signal, analysis: { ...signal.analysis, ...trade }, ...traits });
}

/** Answers with this record whenever one is asked for. */
const serveRecord = (page: Page, json: Performance) =>
  page.route(RECORD, (route) =>
    route.fulfill({ json, headers: { "Access-Control-Allow-Origin": "*" } }),
  );

async function expectChance(page: Page): Promise<void> {
  await expect(page.getByRole("region", { name: "Chance", exact: true })).toHaveText(
    "29%About 29 in 100 such trades reached the target first.",
  );
  // What it rests on is further down.
  const details = page.getByRole("region", { name: "Details of the chance" });
  await expect(details).toContainText("62%");
  await expect(details).toContainText("stated confidence, not yet calibrated");
  await expect(page.getByRole("list", { name: "Source" })).toContainText("Analyzed");
  await expect(page.getByText(/after candle close/)).toHaveCount(0);
  await expect(page.locator("[data-signal]").getByText("Filled before you asked")).toBeVisible();
  await expect(page.getByText("PENDING", { exact: true })).toBeVisible();
}

test("nothing moves as the record of the analyst arrives, and a trade has one number and one sentence for its chance, and says that it was filled before it was asked for", async ({
  page,
}) => {
  const card = page.locator("[data-signal]");
  const panel = page.getByRole("region", { name: "Record of this analyst version, demo data" });
  await observeLayoutShifts(page);
  await serveRecord(page, {
    ...record,
    lift: around(-0.03, 0.04),
    edge_bounds: { low: -0.08, high: 0.02 },
    confidence: { ...record.confidence, buckets: [similar] },
  });
  const filled = { price: 100, at: new Date(Date.now() - HOUR_MS).toISOString() };
  await prepareTrade(page, { filled });
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
  await expectChance(page);
});
