import { expect, type Page } from "playwright/test";
import { actAsAdmin, makeSignal, makeTrader } from "../support/api.ts";
import { holdRequests, holdSockets } from "../support/network.ts";
import { test } from "../support/test.ts";
import { cardOf, confirmAction, openAdmin, signIn } from "../support/users.ts";

const HISTORY = /\/signal-history(\?|$)/;

/** The call, not the screen of the same address. */
const isCall = (request: { resourceType(): string }) => request.resourceType() === "fetch";

async function openAsTrader(page: Page): Promise<string> {
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await page.goto("/signal-history");
  return trader.username;
}

test("loading, then nothing yet, each in words", async ({ page }) => {
  const held = await holdRequests(page, { url: HISTORY, which: isCall });
  await openAsTrader(page);
  await expect(page.getByRole("status", { name: "Loading your signals" })).toBeVisible();
  held.release();
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
});

test("the newest signal comes first; prices have five decimals, and a WAIT has none", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true });
  for (const symbol of ["ETH/USDT", "EUR/USD"]) await makeSignal(trader, { symbol });
  await signIn(page, trader);
  await page.goto("/signal-history");
  const cards = page.getByRole("listitem").locator("[data-signal]");
  await expect(cards.getByRole("heading")).toHaveText([/^EUR\/USD/, /^ETH\/USDT/]);
  for (const card of await cards.all()) {
    const isWait = (await card.getAttribute("data-signal")) === "wait";
    const prices = card.getByText(/^[\d,]+\.\d{5}$/);
    await expect(prices).toHaveCount(isWait ? 0 : 3);
  }
});

test("a history that an administrator clears empties before its owner's eyes", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await signIn(page, trader);
  await page.goto("/signal-history");
  await expect(page.locator("[data-signal]")).toHaveCount(1);
  const admin = await openElsewhere();
  await openAdmin(admin);
  const card = cardOf(admin, trader.username);
  await confirmAction(admin, card.getByRole("button", { name: "Clear history" }));
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
});

test("whose approval is withdrawn is led away from where it was needed, and may return with it", async ({
  page,
}) => {
  const username = await openAsTrader(page);
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
  await actAsAdmin(`/admin/revoke/${username}`);
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByText("Approval Pending")).toBeVisible();
  await actAsAdmin(`/admin/approve/${username}`);
  await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();
});

test.describe("when the history cannot be read", () => {
  test.use({ expectsFailures: true });

  const answers = [
    { status: 504, text: "Server took too long to respond. Please try again." },
    { status: 500, text: "Server error: 500 Internal Server Error" },
    { status: 0, text: "Failed to connect to the backend API." },
  ];
  for (const { status, text } of answers) {
    test(`it says '${text}' and is read again on request`, async ({ page, context }) => {
      await holdSockets(context);
      await page.route(HISTORY, (route) => {
        if (!isCall(route.request())) return route.fallback();
        const headers = { "Access-Control-Allow-Origin": "*" };
        return status === 0 ? route.abort() : route.fulfill({ status, headers, json: {} });
      });
      await openAsTrader(page);
      await expect(page.getByRole("alert")).toContainText(text);
      await page.unroute(HISTORY);
      await page.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByText("No signals generated yet.")).toBeVisible();
    });
  }
});

const headings = (page: Page) => page.locator("[data-signal]").getByRole("heading");

test("filters are asked of the server, also for signals that are still to come", async ({
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
  await page.getByLabel("Outcome").selectOption("PENDING");
  await expect(page.getByText("2 matching signals.")).toBeVisible();
});

test("a filter that nothing fits says so and lets go", async ({ page }) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await signIn(page, trader);
  await page.goto("/signal-history");
  await page.getByLabel("Outcome").selectOption("WIN");
  await expect(page.getByText("No signals match these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Show all signals" }).click();
  await expect(headings(page)).toHaveText([/^BTC\/USDT/]);
});

test("the histories of all users are cleared after a question, and the trail tells of it", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "BTC/USDT" });
  const history = await openElsewhere();
  await signIn(history, trader);
  await history.goto("/signal-history");
  await expect(history.locator("[data-signal]")).toHaveCount(1);
  await openAdmin(page);
  await confirmAction(page, page.getByRole("button", { name: "Clear all history" }));
  await expect(page.getByText(/^Deleted \d+ signals? of \d+ users?\.$/)).toBeVisible();
  await expect(
    page.getByText(new RegExp(`deleted 1 signal of ${trader.username}`)).first(),
  ).toBeVisible();
  await expect(history.getByText("No signals generated yet.")).toBeVisible();
});
