import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { marketCandlesSchema, type Timeframe } from "@shared/contract/market-data.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { keepSignal, serveWidgets } from "../support/network.ts";
import { LAPTOP } from "../support/screen-checks.ts";
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

/** Opens the bot of a new trader, whose last signal is a trade of this market around its present price. */
async function openBotWithTrade(page: Page, symbol: string) {
  const trader = await makeTrader({ approved: true });
  const signal = await makeSignal(trader, { symbol });
  const { analysis } = signal;
  const price = analysis?.source.price;
  if (!analysis || !price) throw new Error("the signal has no price");
  const at = (factor: number) => Number((price * factor).toPrecision(4));
  const levels = { entry: at(1), stop_loss: at(1.004), take_profit: at(0.992) };
  const size = { suggested_units: 1, estimated_dollar_risk: 1, required_margin: 50 };
  const trade = { final_signal: "SELL", ...levels, ...size } as const;
  await keepSignal(page, { ...signal, analysis: { ...analysis, ...trade } });
  await signIn(page, trader);
  await page.goto("/bot");
  return levels;
}

const lastPrice = (page: Page) =>
  page.getByText("Last price", { exact: true }).locator("xpath=following-sibling::dd");

async function expectWidgetOf(page: Page, config: Record<string, string>) {
  await expect(widget(page)).toHaveAttribute("data-state", "loaded");
  const configOf = async (): Promise<unknown> => {
    const address = (await widget(page).locator("iframe").getAttribute("src")) ?? "";
    return JSON.parse(decodeURIComponent(address.split("#")[1] ?? ""));
  };
  await expect.poll(configOf).toMatchObject(config);
}

/** The close of the newest candle that has closed, as the chart is given it. */
async function lastClose(symbol: string, timeframe: Timeframe): Promise<number> {
  const query = new URLSearchParams({ symbol, timeframe, limit: "10" });
  const { candles } = await expectAnswer(marketCandlesSchema, `${apiUrl}/candles?${query}`);
  return candles.findLast(({ closed }) => closed)?.close ?? Number.NaN;
}

/** How many times as high the highest is. */
const spread = (prices: number[]) => Math.max(...prices) / Math.min(...prices);

/** Expects the charts of all timeframes and the list of symbols to stand at one price. */
async function expectOnePrice(page: Page): Promise<void> {
  const prices: number[] = [];
  for (const timeframe of TIMEFRAMES) {
    await page.getByRole("radio", { name: timeframe, exact: true }).check();
    await expect(
      chartOf(page, new RegExp(`^BTC/USDT, 500 candles of ${timeframe},`)),
    ).toBeVisible();
    prices.push(Number(await lastPrice(page).textContent()));
  }
  await page.getByRole("combobox", { name: "Symbol" }).click();
  const quote = page.getByRole("option", { name: "BTC/USDT" });
  await expect(quote).toHaveAccessibleDescription(/^Bitcoin ?\d+\.\d{5} /);
  const [price] = /\d+\.\d{5}/.exec(await quote.locator("..").innerText()) ?? [];
  prices.push(Number(price));
  expect(spread(prices), prices.join(", ")).toBeLessThan(1.02);
  // The live price moves open candles only. The last day may have ended almost a day ago.
  const closes = await Promise.all(TIMEFRAMES.map((name) => lastClose("BTC/USDT", name)));
  expect(spread([...closes, Number(price)]), closes.join(", ")).toBeLessThan(1.1);
}

test.describe("with a symbol that is refused", () => {
  // The browser logs it, with its candles and its signal.
  test.use({ expectsFailures: true });

  test("prices of EUR/USD have five decimals on the axis, at the levels, in the table and on the card; an unknown symbol is refused in view", async ({
    page,
  }) => {
    await page.addInitScript(() => {
      const { fillText } = CanvasRenderingContext2D.prototype;
      window.drawn = new Set();
      CanvasRenderingContext2D.prototype.fillText = function write(text, x, y) {
        window.drawn.add(text);
        fillText.call(this, text, x, y);
      };
    });
    const levels = await openBotWithTrade(page, "EUR/USD");
    const texts = Object.values(levels).map((level) => level.toFixed(5));
    const card = page.locator("[data-signal]");
    for (const text of texts) await expect(card.getByText(text, { exact: true })).toBeVisible();
    await expect(chartOf(page, /^EUR\/USD/)).toBeVisible();
    await page.evaluate(() => window.drawn.clear());
    await page.getByRole("button", { name: "Zoom out" }).click();
    const prices = () =>
      page.evaluate(() => [...window.drawn].filter((text) => /^\d+\.\d+$/.test(text)));
    await expect.poll(prices).toEqual(expect.arrayContaining(texts));
    // And those of the axis.
    await expect.poll(async () => (await prices()).length).toBeGreaterThan(texts.length + 1);
    for (const price of await prices()) expect(price).toMatch(/^1\.\d{5}$/);
    await page.getByRole("button", { name: "Table" }).click();
    const cells = page.getByRole("region", { name: /^Candles of EUR\/USD/ }).getByRole("cell");
    for (const cell of (await cells.allTextContents()).slice(0, 4)) {
      expect(cell).toMatch(/^1\.\d{5}$/);
    }

    await page.setViewportSize(LAPTOP);
    const symbol = page.getByRole("combobox", { name: "Symbol" });
    await symbol.fill("NOPE/USDT");
    const unknown = page.getByRole("alert").filter({ hasText: "Unknown symbol NOPE/USDT." });
    await expect(unknown).toBeVisible();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Get Signal" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Request failed" });
    await expect(alert).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });
});

test("the bot opens with the chart of its market, at one price in all timeframes, which moves; TradingView's stands in its box once it is chosen, and on the next visit, and gives way where it does not load", async ({
  page,
}) => {
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/bot");
  const chart = chartOf(page, /^BTC\/USDT, 500 candles of 1h/);
  await expect(chart.locator("canvas").first()).toBeVisible();
  await expect(page.getByRole("timer")).toHaveText(/^Closes in /);
  await expect(widget(page)).toHaveCount(0);
  const first = (await lastPrice(page).textContent()) ?? "";
  await expectOnePrice(page);
  await expect(lastPrice(page)).not.toHaveText(first, { timeout: 60_000 });
  await page.getByRole("combobox", { name: "Symbol" }).fill("XAU/USD");
  await page.keyboard.press("Tab");
  await expect(chartOf(page, /^XAU\/USD, 500 candles of 1d/)).toBeVisible();

  await page.getByRole("tab", { name: "TradingView" }).click();
  const before = await widget(page).boundingBox();
  await expect(widget(page)).toHaveAttribute("data-state", "failed");
  const ours = widget(page).getByRole("img", { name: /^XAU\/USD, \d+ candles of 1d/ });
  await expect(ours.locator("canvas").first()).toBeVisible();
  expect(await widget(page).boundingBox()).toEqual(before);

  await serveChart(page);
  await page.reload();
  await expectWidgetOf(page, { symbol: "OANDA:XAUUSD", interval: "D", theme: "dark" });
  await page.getByRole("radio", { name: "4h" }).click();
  await expectWidgetOf(page, { symbol: "OANDA:XAUUSD", interval: "240" });
  await page.getByRole("combobox", { name: "Symbol" }).fill("BTC/USDT");
  await page.keyboard.press("Tab");
  await expectWidgetOf(page, { symbol: "BINANCE:BTCUSDT", interval: "240" });
  await page.getByRole("tab", { name: "Chart", exact: true }).click();
  await expect(chartOf(page, /^BTC\/USDT/)).toBeVisible();
  await expect(widget(page)).toHaveCount(0);
});
