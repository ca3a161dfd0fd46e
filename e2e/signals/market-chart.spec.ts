import { expect, type Page } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { serveWidgets } from "../support/tradingview.ts";
import { signIn } from "../support/users.ts";

const chart = (page: Page) => page.locator('[data-widget="advanced-chart"]');

/** Serves a chart that reports that it has loaded. */
const serveChart = (page: Page) =>
  serveWidgets(
    page,
    `<!doctype html><title>Chart</title><script>
      parent.postMessage({ name: "tv-widget-load" }, "*");
    </script>`,
  );

async function openBot(page: Page) {
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/bot");
}

async function expectChartOf(page: Page, config: Record<string, string>) {
  await expect(chart(page)).toHaveAttribute("data-state", "loaded");
  const address = (await chart(page).locator("iframe").getAttribute("src")) ?? "";
  expect(JSON.parse(decodeURIComponent(address.split("#")[1] ?? ""))).toMatchObject(config);
}

test("TradingView's chart shows the market that the form names, then the signal's", async ({
  page,
}) => {
  await serveChart(page);
  await openBot(page);
  await expectChartOf(page, { symbol: "BINANCE:BTCUSDT", interval: "60", theme: "dark" });
  await page.getByRole("radio", { name: "4h" }).click();
  await expectChartOf(page, { symbol: "BINANCE:BTCUSDT", interval: "240" });
  await page.getByRole("combobox", { name: "Symbol" }).fill("XAU/USD");
  await expectChartOf(page, { symbol: "OANDA:XAUUSD", interval: "240" });
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]")).toBeVisible();
  await chart(page).scrollIntoViewIfNeeded();
  await expectChartOf(page, { symbol: "OANDA:XAUUSD", interval: "240" });
  const frame = chart(page).locator("iframe");
  await page.getByRole("button", { name: "Show signal levels" }).click();
  await expect(chart(page).locator("canvas").first()).toBeVisible();
  await page.getByRole("button", { name: "Show live chart" }).click();
  await expect(chart(page).locator("canvas")).toHaveCount(0);
  await expect(frame).toHaveAttribute("title", "Live chart of XAU/USD, 4h");
});

test("where it does not load, the signal's own chart stands in the same box", async ({ page }) => {
  await openBot(page);
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(chart(page).locator("canvas").first()).toBeVisible();
  const before = await chart(page).boundingBox();
  await expect(chart(page)).toHaveAttribute("data-state", "failed");
  await expect(chart(page).locator("canvas").first()).toBeVisible();
  expect(await chart(page).boundingBox()).toEqual(before);
  await expect(page.getByRole("img", { name: /^BTC\/USDT, \d+ candles of 1h/ })).toBeVisible();
});
