import type { Session } from "@shared/contract/account.ts";
import type { Performance } from "@shared/contract/performance.ts";
import type { Analysis, SignalResponse } from "@shared/contract/signal.ts";
import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { expectStill, observeLayoutShifts, untilPainted } from "../support/layout-shifts.ts";
import { holdRequests, keepSignal } from "../support/network.ts";
import { around, noRates, record } from "../support/performance-record.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const RECORD = new RegExp(`^${apiUrl}/performance\\?`);

/** A record without an edge: 214 of its trades stated 60–70%, and 68 of them won. */
const noEdge: Performance = {
  ...record,
  lift: around(-0.03, 0.05),
  confidence: {
    decided: 300,
    brier: 0.31,
    ece: 0.28,
    buckets: [
      { from: 60, to: 70, decided: 214, wins: 68, stated: 0.62, won: 0.318, ...noRates },
      { from: 70, to: 80, decided: 86, wins: 30, stated: 0.74, won: 0.349, ...noRates },
    ],
  },
};
const NO_EDGE =
  "Not shown to be better than chance: an edge of −3.0 percentage points (95% interval −8.0 to +2.0).";

const trade = {
  final_signal: "SELL",
  confidence: 62,
  entry: 100,
  stop_loss: 102,
  take_profit: 96,
  calibrated_confidence: null,
} as const;

interface Shown {
  trader: Session;
  signal: SignalResponse;
}

/** A signal of this analysis, on the tab that `page` opens next. */
async function prepare(page: Page, changes: Partial<Analysis> = {}): Promise<Shown> {
  const trader = await makeTrader({ approved: true });
  const made = await makeSignal(trader, { symbol: "BTC/USDT" });
  if (!made.analysis) throw new Error("the signal has no analysis");
  const signal = { ...made, analysis: { ...made.analysis, ...trade, ...changes } };
  await signIn(page, trader);
  await keepSignal(page, signal);
  return { trader, signal };
}

const serveRecord = (page: Page, answer: Performance) =>
  page.route(RECORD, (route) =>
    route.fulfill({ json: answer, headers: { "Access-Control-Allow-Origin": "*" } }),
  );

const cardOn = (page: Page) => page.locator("[data-signal]");
const recordOn = (page: Page) =>
  page.getByRole("region", { name: "Record of this analyst version, demo data" });

test("a stated confidence is called that, and its measured record stands beside it", async ({
  page,
}) => {
  await serveRecord(page, noEdge);
  const { signal } = await prepare(page);
  const asked = page.waitForRequest(RECORD);
  await page.goto("/bot");
  const confidence = cardOn(page).getByRole("progressbar");
  await expect(confidence).toHaveAttribute("aria-valuenow", "62");
  await expect(confidence).toHaveAttribute("data-level", "medium");
  await expect(confidence).toContainText("62%");
  await expect(confidence).toContainText("stated confidence, not yet calibrated");
  await expect(recordOn(page)).toContainText("Trades at 60–70%, on average");
  await expect(recordOn(page)).toContainText("stated 62%, won 32% of 214");
  await expect(recordOn(page)).toContainText(NO_EDGE);
  const { analyst, analyst_version: version } = signal.analysis?.source ?? {};
  const { searchParams } = new URL((await asked).url());
  expect(Object.fromEntries(searchParams)).toEqual({ data: "replay", analyst, version });
  await recordOn(page).getByRole("link", { name: "Details" }).click();
  await expect(page).toHaveURL(/\/performance\?data=replay&analyst=rules&version=/);
});

test("a calibrated confidence keeps its rating, and the missing edge is stated nevertheless", async ({
  page,
}) => {
  await serveRecord(page, noEdge);
  await prepare(page, { calibrated_confidence: 31.5 });
  await page.goto("/bot");
  await expect(cardOn(page)).toContainText("Calibrated: 31.5%");
  await expect(recordOn(page)).toContainText(NO_EDGE);
  await expect(cardOn(page)).not.toContainText("not yet calibrated");
  await expect(recordOn(page)).not.toContainText("won 32%");
});

test("a record that is worse than chance is called so", async ({ page }) => {
  await serveRecord(page, { ...noEdge, lift: around(-0.06, 0.02) });
  await prepare(page);
  await page.goto("/bot");
  await expect(recordOn(page)).toContainText("Worse than chance: an edge of −6.0");
});

test("a version without resolved trades has no record yet, on its own page too", async ({
  page,
}) => {
  const { signal } = await prepare(page);
  await page.goto("/bot");
  await expect(recordOn(page)).toContainText("No record yet");
  await page.goto(`/signals/${signal.signal_id}`);
  await expect(recordOn(page)).toContainText("No record yet");
  await expect(cardOn(page)).toContainText("62% stated confidence, not yet calibrated");
});

test("a WAIT, which has no outcome, is compared with no record", async ({ page }) => {
  await prepare(page, { final_signal: "WAIT", entry: null, stop_loss: null, take_profit: null });
  await page.goto("/bot");
  await expect(cardOn(page).getByRole("progressbar")).toContainText("stated confidence");
  await expect(cardOn(page)).not.toContainText("calibrated");
  await expect(recordOn(page)).toHaveCount(0);
});

for (const width of [1440, 390]) {
  test(`at ${width} px nothing moves as the record arrives`, async ({ page }) => {
    await page.setViewportSize({ width, height: 2_400 });
    await observeLayoutShifts(page);
    await serveRecord(page, noEdge);
    const held = await holdRequests(page, { url: RECORD });
    await prepare(page);
    await page.goto("/bot");
    await expect(recordOn(page).getByRole("status")).toBeVisible();
    await expect(page.locator("canvas").first()).toBeVisible();
    await untilPainted(page);
    const before = await cardOn(page).boundingBox();
    held.release();
    await expect(recordOn(page)).toContainText(NO_EDGE);
    await untilPainted(page);
    expect((await cardOn(page).boundingBox())?.height).toBe(before?.height);
    await expectStill(page, { limit: 0.05, what: "the result card" });
  });
}

test.describe("a record that cannot be read", () => {
  test.use({ expectsFailures: true });

  test("leaves the card as it is", async ({ page }) => {
    await page.route(RECORD, (route) => route.abort());
    await prepare(page);
    await page.goto("/bot");
    await expect(recordOn(page)).toContainText("The record is unavailable.");
    await expect(cardOn(page).getByRole("progressbar")).toContainText("not yet calibrated");
    await expect(cardOn(page)).toContainText("Stop loss");
  });
});
