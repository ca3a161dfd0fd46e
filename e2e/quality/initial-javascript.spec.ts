import { gzipSync } from "node:zlib";
import { expect, type Locator, type Page, type Response } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { clientUrl } from "../support/config.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

/** What a browser may load by itself, in kilobytes of 1,000 bytes, compressed with gzip. */
const BUDGET_KB = { home: 150, bot: 250 };

/** The chart of the bot loads after everything else. */
const CHART = /\/(?:market-panel|candle-chart|use-candles)-[^/]*\.js$/;

interface Screen {
  path: string;
  /** What comes last by itself. */
  last(page: Page): Locator;
}

/** The weight of every script that a screen loads until it has come to rest, by name. */
async function scriptsOf(page: Page, { path, last }: Screen): Promise<Map<string, number>> {
  const answers: Response[] = [];
  page.on("response", (answer) => {
    if (new URL(answer.url()).origin !== clientUrl) return;
    if (answer.request().resourceType() === "script") answers.push(answer);
  });
  await page.goto(path);
  await expect(last(page).first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  const weighed = answers.map(async (answer): Promise<[string, number]> => {
    return [new URL(answer.url()).pathname, gzipSync(await answer.body()).byteLength / 1_000];
  });
  return new Map(await Promise.all(weighed));
}

function withoutChart(scripts: Map<string, number>): Map<string, number> {
  return new Map([...scripts].filter(([name]) => !CHART.test(name)));
}

function expectWithin(scripts: Map<string, number>, limitKb: number): void {
  const names = [...scripts.keys()].join("\n");
  expect(names, "the application has not started").toMatch(/\/index-[^/]*\.js/);
  const totalKb = [...scripts.values()].reduce((sum, kb) => sum + kb, 0);
  const heaviest = [...scripts].sort(([, a], [, b]) => b - a).slice(0, 8);
  const list = heaviest.map(([name, kb]) => `${kb.toFixed(1)} ${name}`).join("\n");
  expect(totalKb, `kilobytes, of them\n${list}`).toBeLessThanOrEqual(limitKb);
}

test("a visitor's first page loads 150 KB of JavaScript at most", async ({ page }) => {
  const last = () => page.locator('[data-widget="ticker-tape"]').getByText("BTC/USDT");
  const scripts = await scriptsOf(page, { path: "/", last });
  expectWithin(scripts, BUDGET_KB.home);
});

test("the bot loads 250 KB of JavaScript at most, before its chart", async ({ page }) => {
  await signIn(page, await makeTrader({ approved: true }));
  const last = () => page.getByText("No signal yet");
  const scripts = await scriptsOf(page, { path: "/bot", last });
  expectWithin(withoutChart(scripts), BUDGET_KB.bot);
});
