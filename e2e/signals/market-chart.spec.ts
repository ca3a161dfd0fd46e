import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { serveWidgets } from "../support/network.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

declare global {
  interface Window {
    /** What canvases have written. */
    drawn: Set<string>;
  }
}

const widget = (page: Page) => page.locator('[data-widget="advanced-chart"]');
const chartOf = (page: Page, name: RegExp) => page.getByRole("img", { name });

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

async function expectWidgetOf(page: Page, config: Record<string, string>) {
  await expect(widget(page)).toHaveAttribute("data-state", "loaded");
  const address = (await widget(page).locator("iframe").getAttribute("src")) ?? "";
  expect(JSON.parse(decodeURIComponent(address.split("#")[1] ?? ""))).toMatchObject(config);
}

test("the bot opens with the chart of the market that the form names, and its price moves", async ({
  page,
}) => {
  await openBot(page);
  const chart = chartOf(page, /^BTC\/USDT, 500 candles of 1h/);
  await expect(chart.locator("canvas").first()).toBeVisible();
  await expect(page.getByRole("timer")).toHaveText(/^Closes in /);
  await expect(widget(page)).toHaveCount(0);
  const price = page.getByText("Last price").locator("xpath=following-sibling::dd");
  const first = (await price.textContent()) ?? "";
  await expect(price).not.toHaveText(first, { timeout: 60_000 });
  await page.getByRole("radio", { name: "4h" }).click();
  await expect(chartOf(page, /^BTC\/USDT, 500 candles of 4h/)).toBeVisible();
  await page.getByRole("combobox", { name: "Symbol" }).fill("XAU/USD");
  await expect(chartOf(page, /^XAU\/USD, 500 candles of 4h/)).toBeVisible();
});

test("all prices of the axis have the decimals of the card", async ({ page }) => {
  await page.addInitScript(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    window.drawn = new Set();
    CanvasRenderingContext2D.prototype.fillText = function write(text, x, y) {
      window.drawn.add(text);
      fillText.call(this, text, x, y);
    };
  });
  await openBot(page);
  await page.getByRole("combobox", { name: "Symbol" }).fill("EUR/USD");
  await expect(chartOf(page, /^EUR\/USD/)).toBeVisible();
  await page.evaluate(() => window.drawn.clear());
  await page.getByRole("button", { name: "Zoom out" }).click();
  const prices = () =>
    page.evaluate(() => [...window.drawn].filter((text) => /^\d+\.\d+$/.test(text)));
  await expect.poll(async () => (await prices()).length).toBeGreaterThan(3);
  for (const price of await prices()) expect(price).toMatch(/^1\.\d{5}$/);
});

test("TradingView's chart is loaded once it is chosen, and on the next visit", async ({ page }) => {
  await serveChart(page);
  await openBot(page);
  await page.getByRole("tab", { name: "TradingView" }).click();
  await expectWidgetOf(page, { symbol: "BINANCE:BTCUSDT", interval: "60", theme: "dark" });
  await page.getByRole("radio", { name: "4h" }).click();
  await expectWidgetOf(page, { symbol: "BINANCE:BTCUSDT", interval: "240" });
  await page.getByRole("combobox", { name: "Symbol" }).fill("XAU/USD");
  await expectWidgetOf(page, { symbol: "OANDA:XAUUSD", interval: "240" });
  await page.reload();
  await expectWidgetOf(page, { symbol: "OANDA:XAUUSD", interval: "240" });
  await page.getByRole("tab", { name: "Chart", exact: true }).click();
  await expect(chartOf(page, /^XAU\/USD/)).toBeVisible();
  await expect(widget(page)).toHaveCount(0);
});

test("where it does not load, our own chart stands in the same box", async ({ page }) => {
  await openBot(page);
  await page.getByRole("tab", { name: "TradingView" }).click();
  const before = await widget(page).boundingBox();
  await expect(widget(page)).toHaveAttribute("data-state", "failed");
  const chart = widget(page).getByRole("img", { name: /^BTC\/USDT, \d+ candles of 1h/ });
  await expect(chart.locator("canvas").first()).toBeVisible();
  expect(await widget(page).boundingBox()).toEqual(before);
});

test("each signal of the history can show its chart", async ({ page }) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await signIn(page, trader);
  await page.goto("/signal-history");
  await page.getByRole("button", { name: /^Details of/ }).click();
  await page.getByRole("button", { name: "Show chart" }).click();
  await expect(
    chartOf(page, /^ETH\/USDT/)
      .locator("canvas")
      .first(),
  ).toBeVisible();
});
