import { writeFile } from "node:fs/promises";
import { type MarketCandles, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { type Browser, expect, type Page, type TestInfo, test } from "playwright/test";
import { z } from "zod";
import { product } from "../playwright.config.ts";

/** Only meaningful on a machine that does nothing else. */
const CANDLES = 1_000;
const FRAME_MS = 1_000 / 60;
const MOVES = 120;
const HISTORY = { signals: 200, pageSize: 50 } as const;
const STILL_FRAMES = 60;
const TRACED = {
  categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"],
};

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ts: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      args: z.object({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

test("1,000 candles pan and zoom at 60 frames a second", async ({ page, browser }, info) => {
  await page.route(`${product.api}/candles?*`, (route) =>
    route.fulfill({ json: madeCandles(), headers: { "Access-Control-Allow-Origin": "*" } }),
  );
  await openChart(page);
  const box = await page.locator("canvas").first().boundingBox();
  if (!box) throw new Error("there is no chart");
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  // The browser compiles the code of the chart during its first frames.
  await pan(page, { x, y, width: box.width });
  await browser.startTracing(page, TRACED);
  await pan(page, { x, y, width: box.width });
  await zoom(page, { x, y });
  const { fps, slowShare, longestMs } = await stopTracing(browser, info);
  const slow = `${(slowShare * 100).toFixed(1)}% of frames over ${FRAME_MS.toFixed(1)} ms`;
  console.log(`${fps.toFixed(1)} frames/s, ${slow}, longest task ${longestMs.toFixed(1)} ms`);
  expect(fps).toBeGreaterThanOrEqual(58);
  expect(slowShare).toBeLessThanOrEqual(0.01);
});

test("200 signals of the history scroll without a task above 50 ms", async ({
  page,
  browser,
}, info) => {
  await page.route(`${product.api}/signal-history?*`, (route) => {
    const cursor = new URL(route.request().url()).searchParams.get("cursor");
    const headers = { "Access-Control-Allow-Origin": "*" };
    return route.fulfill({ json: madeHistory(Number(cursor)), headers });
  });
  await signIn(page);
  await page.goto("/signal-history");
  const cards = page.locator("[data-signal]");
  await expect(cards).toHaveCount(HISTORY.pageSize);
  await browser.startTracing(page, TRACED);
  await scrollToEnd(page, 1);
  await expect(cards).toHaveCount(HISTORY.signals);
  await scrollToEnd(page, 1);
  await scrollToEnd(page, -1);
  const { longestMs } = await stopTracing(browser, info);
  console.log(`${HISTORY.signals} signals, longest task ${longestMs.toFixed(1)} ms`);
  expect(longestMs).toBeLessThanOrEqual(50);
});

async function signIn(page: Page): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Username").fill(product.admin.username);
  await page.getByLabel("Password", { exact: true }).fill(product.admin.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/dashboard");
}

async function openChart(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const state = { tab: "chart", ema: true, atrBands: true };
    localStorage.setItem("chart", JSON.stringify({ state, version: 0 }));
  });
  await signIn(page);
  await page.goto("/bot");
  await expect(page.getByRole("img", { name: /1000 candles/ })).toBeVisible();
  for (let step = 0; step < 8; step += 1) {
    await page.getByRole("button", { name: "Zoom out" }).click();
  }
}

interface Point {
  x: number;
  y: number;
}

/** Moves the pointer in the page itself, once in each frame: the way from here to the browser is not measured. */
async function pan(page: Page, { x, y, width }: Point & { width: number }) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(
    async ({ x, y, width, moves }) => {
      const target = document.elementFromPoint(x, y);
      for (let move = 0; move < moves; move += 1) {
        await new Promise(requestAnimationFrame);
        const clientX = x + Math.sin(move / 10) * width * 0.4;
        const at = { clientX, clientY: y, screenX: clientX, screenY: y, buttons: 1, bubbles: true };
        target?.dispatchEvent(new MouseEvent("mousemove", at));
      }
    },
    { x, y, width, moves: MOVES },
  );
  await page.mouse.up();
}

async function zoom(page: Page, { x, y }: Point) {
  await page.mouse.click(x, y);
  await page.evaluate(
    async ({ x, y, moves }) => {
      const target = document.elementFromPoint(x, y);
      for (let move = 0; move < moves; move += 1) {
        await new Promise(requestAnimationFrame);
        const deltaY = move % 40 < 20 ? -60 : 60;
        const at = { clientX: x, clientY: y, deltaY, bubbles: true, cancelable: true };
        target?.dispatchEvent(new WheelEvent("wheel", at));
      }
    },
    { x, y, moves: MOVES },
  );
}

/** Scrolls until the page has not moved for some frames, in which a further page of the list may arrive. */
async function scrollToEnd(page: Page, direction: 1 | -1): Promise<void> {
  await page.evaluate(
    async ({ step, stillFrames }) => {
      let last = Number.NaN;
      for (let still = 0; still < stillFrames; last = scrollY) {
        await new Promise(requestAnimationFrame);
        scrollBy({ top: step, behavior: "instant" });
        still = scrollY === last ? still + 1 : 0;
      }
    },
    { step: direction * 300, stillFrames: STILL_FRAMES },
  );
}

async function stopTracing(browser: Browser, info: TestInfo) {
  const trace = await browser.stopTracing();
  await writeFile(info.outputPath("trace.json"), trace);
  return measure(JSON.parse(trace.toString()));
}

/** Frames per second, and how long the page's thread was busy without a pause. */
function measure(trace: unknown) {
  const { traceEvents } = traceSchema.parse(trace);
  const main = traceEvents.find(
    ({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain",
  )?.tid;
  const ofMain = traceEvents.filter(({ tid }) => tid === main);
  const frames = ofMain.filter(({ name }) => name === "FireAnimationFrame");
  const times = frames.map(({ ts }) => ts).sort((a, b) => a - b);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000_000;
  const tasksMs = ofMain.filter(({ name }) => name === "RunTask").map(({ dur = 0 }) => dur / 1_000);
  const slow = tasksMs.filter((ms) => ms > FRAME_MS).length;
  return {
    fps: new Set(times.map((ts) => Math.round(ts / 1_000 / FRAME_MS))).size / seconds,
    slowShare: slow / times.length,
    longestMs: Math.max(...tasksMs),
  };
}

function madeCandles(): MarketCandles {
  const lengthMs = TIMEFRAME_MS["1h"];
  const openedAt = Math.floor(Date.now() / lengthMs) * lengthMs;
  const priceAt = (index: number) => 50_000 + 3_000 * Math.sin(index / 40) + 400 * Math.sin(index);
  return {
    symbol: "BTC/USDT",
    timeframe: "1h",
    source: "made",
    opens_at: null,
    delay_ms: 0,
    candles: Array.from({ length: CANDLES }, (_, index) => {
      const open = priceAt(index);
      const close = priceAt(index + 1);
      return {
        time: openedAt - (CANDLES - 1 - index) * lengthMs,
        open,
        close,
        high: Math.max(open, close) + 100,
        low: Math.min(open, close) - 100,
        volume: 10 + (index % 7),
        closed: index < CANDLES - 1,
      };
    }),
  };
}

/** A page of signals, with long and short rationales, from a number on. */
function madeHistory(from: number) {
  const to = from + HISTORY.pageSize;
  const signals = Array.from({ length: HISTORY.pageSize }, (_, index): HistoryItem => {
    const number = from + index;
    const isWait = number % 5 === 0;
    return {
      id: number.toString(16).padStart(24, "0"),
      timestamp: new Date(Date.now() - number * 3_600_000).toISOString(),
      symbol: "BTC/USDT",
      timeframe: "1h",
      status: "completed",
      confidence: 60,
      signal: isWait ? "WAIT" : "BUY",
      ...(isWait
        ? { entry: null, stop_loss: null, take_profit: null }
        : { entry: 113_000, stop_loss: 112_000, take_profit: 115_000 }),
      rationale: "Momentum is rising above the moving average. ".repeat(1 + (number % 12)),
      ...(number % 3 > 0 && { outcome: number % 3 === 1 ? "WIN" : "LOSS" }),
    };
  });
  return { signals, next_cursor: to < HISTORY.signals ? String(to) : null };
}
