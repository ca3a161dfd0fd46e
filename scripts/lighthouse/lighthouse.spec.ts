import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@shared/testing/spawn-service.ts";
import lighthouse, { desktopConfig } from "lighthouse";
import { type BrowserContext, chromium, expect, test } from "playwright/test";
import { projectRoot } from "../lib/prepare-project.mjs";
import { findBrowser } from "../lib/test-run/ensure-browser.ts";
import { product } from "../playwright.config.ts";

/** Only meaningful on a machine that does nothing else. The mobile preset is a slow phone on a slow network. */
const PRESETS = ["desktop", "mobile"] as const;
const PUBLIC_SCREENS = ["/", "/pricing", "/login"];
const SIGNED_IN_SCREENS = ["/bot"];
const RUNS = 3;
/** `robots.txt` keeps search engines out of the screens of signed-in users on purpose. */
const SKIPPED_WHEN_SIGNED_IN = ["is-crawlable"];

/** The market widgets of TradingView are not measured. */
const BLOCKED_URLS = ["*://*.tradingview.com/*", "*://*.tradingview-widget.com/*"];
const REPORTS = join(projectRoot, "test-results", "lighthouse");

/** From 0 to 100. */
const MIN_SCORES = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

let profile: string;

test.beforeAll(async () => {
  await mkdir(REPORTS, { recursive: true });
  profile = await mkdtemp(join(tmpdir(), "lighthouse-"));
});
test.afterAll(() => rm(profile, { recursive: true, force: true }));

async function inNewBrowser<Result>(
  use: (context: BrowserContext, port: number) => Promise<Result>,
): Promise<Result> {
  const port = await freePort();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    viewport: null,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", `--remote-debugging-port=${port}`],
  });
  return use(context, port).finally(() => context.close());
}

for (const preset of PRESETS) {
  for (const screen of PUBLIC_SCREENS) {
    test(`${screen} reaches its scores on ${preset}`, () => expectScores(screen, preset));
  }
}

test.describe("signed in", () => {
  test.beforeAll(() => inNewBrowser(signIn));
  for (const preset of PRESETS) {
    for (const screen of SIGNED_IN_SCREENS) {
      test(`${screen} reaches its scores on ${preset}`, () =>
        expectScores(screen, preset, SKIPPED_WHEN_SIGNED_IN));
    }
  }
});

/** Lighthouse clears the browser's cache before each run, but not local storage with the session. */
async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${product.pages}/login`);
  await page.getByLabel("Username").fill(product.admin.username);
  await page.getByLabel("Password", { exact: true }).fill(product.admin.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/dashboard");
}

/**
 * Expects of the medians of several runs that they reach the minimum scores. Each run has a browser of its own: in a process
 * that has shown the application before, the start of the profiler alone blocks the page for up to 0.9 s.
 */
async function expectScores(
  screen: string,
  preset: (typeof PRESETS)[number],
  skipAudits: string[] = [],
): Promise<void> {
  const flags = { skipAudits, blockedUrlPatterns: BLOCKED_URLS, logLevel: "error" } as const;
  const runs: Record<string, { score: number | null }>[] = [];
  for (let run = 1; run <= RUNS; run += 1) {
    const config = preset === "desktop" ? desktopConfig : undefined;
    const result = await inNewBrowser((_, port) =>
      lighthouse(product.pages + screen, { ...flags, port }, config),
    );
    if (!result) throw new Error(`Lighthouse has no result for ${screen}`);
    const report = join(REPORTS, `${screen.slice(1) || "home"}-${preset}-${run}.json`);
    await writeFile(report, JSON.stringify(result.lhr, null, 1));
    runs.push(result.lhr.categories);
  }
  for (const [category, minimum] of Object.entries(MIN_SCORES)) {
    const scores = runs.map((run) => Math.round((run[category]?.score ?? 0) * 100));
    console.log(`${screen} (${preset}): ${category} ${scores.join(", ")}`);
    const median = scores.toSorted((a, b) => a - b)[1] ?? 0;
    expect.soft(median, `${category} of ${screen} (${preset})`).toBeGreaterThanOrEqual(minimum);
  }
}
