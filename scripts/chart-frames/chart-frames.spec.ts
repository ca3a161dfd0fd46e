import { writeFile } from "node:fs/promises";
import { type MarketCandles, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { expect, type Page, test } from "playwright/test";
import { z } from "zod";
import { product } from "../playwright.config.ts";

/** Only meaningful on a machine that does nothing else. */
const CANDLES = 1_000;
const FRAME_MS = 1_000 / 60;
const MOVES = 120;

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
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await browser.startTracing(page, {
    categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"],
  });
  await pan(page, { x, y, width: box.width });
  await zoom(page, { x, y });
  const trace = await browser.stopTracing();
  await writeFile(info.outputPath("trace.json"), trace);
  const { fps, slowShare, longestMs } = measure(JSON.parse(trace.toString()));
  const slow = `${(slowShare * 100).toFixed(1)}% of frames over ${FRAME_MS.toFixed(1)} ms`;
  console.log(`${fps.toFixed(1)} frames/s, ${slow}, longest task ${longestMs.toFixed(1)} ms`);
  expect(fps).toBeGreaterThanOrEqual(58);
  expect(slowShare).toBeLessThanOrEqual(0.01);
});

async function openChart(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const state = { tab: "chart", ema: true, atrBands: true };
    localStorage.setItem("chart", JSON.stringify({ state, version: 0 }));
  });
  await page.goto("/login");
  await page.getByLabel("Username").fill(product.admin.username);
  await page.getByLabel("Password", { exact: true }).fill(product.admin.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/dashboard");
  await page.goto("/bot");
  await expect(page.getByRole("img", { name: /1000 candles/ })).toBeVisible();
  for (let step = 0; step < 8; step += 1) {
    await page.getByRole("button", { name: "Zoom out" }).click();
  }
}

async function pan(page: Page, { x, y, width }: Record<"x" | "y" | "width", number>) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let move = 0; move < MOVES; move += 1) {
    await page.mouse.move(x + Math.sin(move / 10) * width * 0.4, y);
    await nextFrame(page);
  }
  await page.mouse.up();
}

async function zoom(page: Page, { x, y }: Record<"x" | "y", number>) {
  await page.mouse.click(x, y);
  for (let move = 0; move < MOVES; move += 1) {
    await page.mouse.wheel(0, move % 40 < 20 ? -60 : 60);
    await nextFrame(page);
  }
}

const nextFrame = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));

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
  const tasksMs = ofMain
    .filter(({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask")
    .map(({ dur = 0 }) => dur / 1_000);
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
    ...{ symbol: "BTC/USDT", timeframe: "1h", source: "made", opens_at: null, delay_ms: 0 },
    candles: Array.from({ length: CANDLES }, (_, index) => {
      const [open, close] = [priceAt(index), priceAt(index + 1)];
      return {
        time: openedAt - (CANDLES - 1 - index) * lengthMs,
        ...{ open, close, high: Math.max(open, close) + 100, low: Math.min(open, close) - 100 },
        ...{ volume: 10 + (index % 7), closed: index < CANDLES - 1 },
      };
    }),
  };
}
