// @ts-check
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import lighthouse, { desktopConfig } from "lighthouse";
import { chromium } from "playwright";
import { projectRoot } from "../prepare-project.mjs";
import { pickFreePort } from "../services/ports.mjs";
import { ensureBrowser } from "../test-run/ensure-browser.mjs";

/** @typedef {"desktop" | "mobile"} Preset */
/** @typedef {{ screen: string, preset: Preset, runs: Record<string, number>[] }} Measured scores from 0 to 100, by category */
/** @typedef {import("./demo-product.mjs").DemoProduct} DemoProduct */

/** The mobile preset is a slow telephone on a slow network. */
const SCREENS = [
  { screen: "/", presets: ["desktop", "mobile"] },
  { screen: "/pricing", presets: ["desktop", "mobile"] },
  { screen: "/login", presets: ["desktop", "mobile"] },
  { screen: "/bot", presets: ["desktop", "mobile"], signedIn: true },
];
const RUNS = 3;
/** `robots.txt` keeps search engines out of the screens of signed-in users, and rightly so. */
const PRIVATE = ["is-crawlable"];

/** The market widgets are not ours: their weight, and their absence on a machine without internet, are not measured. */
const OTHERS = ["*://*.tradingview.com/*", "*://*.tradingview-widget.com/*"];
const REPORTS = join(projectRoot, "test-results", "lighthouse");

/**
 * Opens each screen several times in a browser of its own and lets Lighthouse judge it. The full reports are left in
 * `test-results/lighthouse`.
 *
 * @param {object} options
 * @param {DemoProduct} options.product
 * @param {string} options.profile an empty folder for the browser
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<Measured[]>}
 */
export async function measureScreens({ product, profile, say, signal }) {
  await mkdir(REPORTS, { recursive: true });
  const port = await pickFreePort();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await ensureBrowser(),
    viewport: null,
    // Being asked to stop ends the work after the run under way, which needs its browser.
    handleSIGINT: false,
    handleSIGTERM: false,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", `--remote-debugging-port=${port}`],
  });
  /** @type {Measured[]} */
  const results = [];
  try {
    for (const { screen, presets, signedIn } of SCREENS) {
      if (signedIn) await signIn(context, product);
      for (const preset of presets) {
        say(`Measuring ${screen} (${preset}) ...`);
        const skipAudits = signedIn ? PRIVATE : [];
        results.push(
          await measure({ url: product.pages + screen, preset, port, skipAudits, signal }),
        );
      }
    }
  } finally {
    await context.close();
  }
  return results;
}

/**
 * Lighthouse empties the browser's cache before each run, but leaves local storage, and the session in it, alone.
 *
 * @param {import("playwright").BrowserContext} context
 * @param {DemoProduct} product
 */
async function signIn(context, { pages, admin }) {
  const page = await context.newPage();
  await page.goto(`${pages}/login`);
  await page.getByLabel("Username").fill(admin.username);
  await page.getByLabel("Password", { exact: true }).fill(admin.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/dashboard");
  await page.close();
}

/**
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.preset
 * @param {number} options.port
 * @param {string[]} options.skipAudits
 * @param {AbortSignal} options.signal
 * @returns {Promise<Measured>}
 */
async function measure({ url, preset, port, skipAudits, signal }) {
  const screen = new URL(url).pathname;
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    signal.throwIfAborted();
    const config = preset === "desktop" ? desktopConfig : undefined;
    const logLevel = /** @type {const} */ ("error");
    const flags = { port, blockedUrlPatterns: OTHERS, skipAudits, logLevel };
    const result = await lighthouse(url, flags, config);
    if (!result) throw new Error(`Lighthouse had nothing to say of ${url}`);
    const name = `${screen.slice(1) || "home"}-${preset}-${run + 1}.json`;
    await writeFile(join(REPORTS, name), JSON.stringify(result.lhr, null, 1));
    runs.push(scoresOf(result.lhr.categories));
  }
  return { screen, preset: preset === "desktop" ? "desktop" : "mobile", runs };
}

/** @param {Record<string, { score: number | null }>} categories */
function scoresOf(categories) {
  const scores = Object.entries(categories).map(([name, { score }]) => [name, score ?? 0]);
  return Object.fromEntries(scores.map(([name, score]) => [name, Math.round(Number(score) * 100)]));
}

/** What a screen must reach, from 0 to 100. */
export const LIMITS = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

/**
 * The middle one of several figures: one slow run, or one lucky one, decides nothing.
 *
 * @param {readonly number[]} figures
 */
export function median(figures) {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * One sentence for each limit that was missed.
 *
 * @param {readonly Measured[]} results
 * @returns {string[]}
 */
export function findFailures(results) {
  return results.flatMap(({ screen, preset, runs }) =>
    Object.entries(LIMITS).flatMap(([category, limit]) => {
      const score = median(scoresIn(runs, category));
      return score < limit ? [`${screen} (${preset}): ${category} ${score}, below ${limit}`] : [];
    }),
  );
}

/**
 * Medians of all categories as a table, with the single runs where they differ.
 *
 * @param {readonly Measured[]} results
 */
export function reportTable(results) {
  const categories = Object.keys(LIMITS);
  const rows = results.map(({ screen, preset, runs }) => [
    screen,
    preset,
    ...categories.map((category) => describe(scoresIn(runs, category))),
  ]);
  const table = [["screen", "preset", ...categories], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * @param {Measured["runs"]} runs
 * @param {string} category
 */
const scoresIn = (runs, category) => runs.map((scores) => scores[category] ?? 0);

/** @param {readonly number[]} scores */
function describe(scores) {
  const isSteady = new Set(scores).size === 1;
  return isSteady ? String(scores[0]) : `${median(scores)} (${scores.join(", ")})`;
}
