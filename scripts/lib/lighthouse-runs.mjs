// @ts-check
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import lighthouse, { desktopConfig } from "lighthouse";
import { chromium } from "playwright";
import { ensureBrowser } from "./ensure-browser.mjs";
import { pickFreePort } from "./ports.mjs";
import { projectRoot } from "./project-root.mjs";

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
