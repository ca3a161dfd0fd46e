import type { Page } from "playwright/test";
import { expect } from "playwright/test";
import { logIn, test } from "./signed-in.ts";
import { installSocketSwitch } from "./socket-switch.ts";

const openBot = async (page: Page) => {
  await page.goto("/bot");
  await logIn(page);
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
};
const askFor = async (page: Page, symbol: string) => {
  await page.getByRole("combobox", { name: "Symbol" }).fill(symbol);
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
};
const openHistory = async (page: Page) => {
  await page.goto("/signal-history");
  const loaded = page.getByRole("listitem").or(page.getByText("No signals generated yet."));
  await expect(loaded.first()).toBeVisible();
};
const resultFor = (page: Page, symbol: string) =>
  page.locator("[data-signal]").filter({ hasText: symbol });

test("the bot says from the start that it runs on demo data and rules", async ({ page }) => {
  await openBot(page);
  await expect(page.getByText(/^Demo data:/)).toBeVisible();
  await expect(page.getByText(/^Rule-based analysis:/)).toBeVisible();
});

test("a signal arrives with its confidence, reasons, labels and chart", async ({ page }) => {
  await openBot(page);
  await askFor(page, "BTC/USDT");
  const result = resultFor(page, "BTC/USDT");
  await expect(result).toHaveAttribute("data-signal", /^(buy|sell|wait)$/);
  const confidence = result.getByRole("progressbar");
  await expect(confidence).toHaveAttribute("aria-valuenow", /^\d+/);
  await expect(confidence).toHaveAttribute("data-level", /^(high|medium|low)$/);
  await expect(result.getByText(/^Demo data:/)).toBeVisible();
  await expect(result.getByText(/^Rule-based analysis:/)).toBeVisible();
  await expect(result.getByText("Key evidence")).toBeVisible();
  await expect(result.locator("canvas").first()).toBeVisible();
});

test("a signal survives a reload", async ({ page }) => {
  await openBot(page);
  await askFor(page, "XRP/USDT");
  await expect(resultFor(page, "XRP/USDT")).toBeVisible();
  await page.reload();
  await expect(resultFor(page, "XRP/USDT")).toBeVisible();
});

test("a signal shows up in a second tab's history without a reload", async ({ page, context }) => {
  await openBot(page);
  const history = await context.newPage();
  await openHistory(history);
  const cards = resultFor(history, "LTC/USDT");
  const before = await cards.count();
  await askFor(page, "LTC/USDT");
  await expect(cards).toHaveCount(before + 1);
});

test.describe("when something fails", () => {
  test.use({ expectsFailures: true });

  test("a signal arrives over REST when the socket cannot connect", async ({ page, context }) => {
    await context.route(/socket\.io/, (route) => route.abort());
    await context.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await openBot(page);
    await askFor(page, "ETH/USDT");
    await expect(resultFor(page, "ETH/USDT")).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText(/reconnecting/i)).toBeVisible();
  });

  test("an unknown symbol is refused with the server's reason", async ({ page }) => {
    await openBot(page);
    const answer = page.waitForResponse(/\/get-signal$/);
    await askFor(page, "NOPE/NOPE");
    expect((await answer).status()).toBe(422);
    await expect(
      page.getByText("No market data provider knows the symbol NOPE/NOPE."),
    ).toBeVisible();
  });

  test("a tab that lost its socket catches up on what it missed", async ({ page, browser }) => {
    const sockets = await installSocketSwitch(page.context());
    await openBot(page);
    await openHistory(page);
    const cards = resultFor(page, "SOL/USDT");
    const before = await cards.count();
    sockets.cut();
    await expect(page.getByText(/reconnecting/i)).toBeVisible({ timeout: 40_000 });

    const elsewhere = await browser.newPage();
    await openBot(elsewhere);
    await askFor(elsewhere, "SOL/USDT");
    await expect(resultFor(elsewhere, "SOL/USDT")).toBeVisible();
    await elsewhere.close();

    sockets.mend();
    await expect(cards).toHaveCount(before + 1, { timeout: 20_000 });
    await expect(page.getByText(/reconnecting/i)).toBeHidden();
  });
});

test("the bot fits a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBot(page);
  await askFor(page, "BTC/USDT");
  await expect(resultFor(page, "BTC/USDT")).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});

test("from login to a finished signal by keyboard alone", async ({ page }) => {
  await page.goto("/bot");
  await page.getByLabel("Username").focus();
  await page.keyboard.type("admin");
  await page.keyboard.press("Tab");
  await page.keyboard.type("browser-test-admin");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  await page.getByRole("combobox", { name: "Symbol" }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("doge");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Symbol" })).toHaveValue("DOGE/USDT");
  await page.keyboard.press("Enter");
  await expect(resultFor(page, "DOGE/USDT")).toBeVisible();
});
