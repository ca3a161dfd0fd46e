// @ts-check
import { join } from "node:path";
import { chromium } from "playwright";
import { CliError } from "../cli.mjs";
import { findExecutables, isExecutable, runCommand } from "../commands.mjs";
import { readIfPresent } from "../files.mjs";

/** Chromium without windows. The browser tests take about 40 % less time in it. */
const HEADLESS_SHELL = "chromium-headless-shell";

/** Names of Chromium and its kin on the search path, the preferred one first. */
const NAMES = [
  HEADLESS_SHELL,
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
const MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
/** Below `ProgramFiles`. */
const WINDOWS_CHROME = "Google\\Chrome\\Application\\chrome.exe";

/**
 * The browser for the browser tests: the one named in `CHROMIUM_PATH`, one on the `PATH`, or one
 * installed by Playwright.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} its path
 * @throws {CliError} if one is named that is none
 */
export function findBrowser(env = process.env) {
  const named = env.CHROMIUM_PATH || env.PLAYWRIGHT_CHROMIUM_PATH;
  if (named && !isExecutable(named)) {
    throw new CliError(`CHROMIUM_PATH: ${named} is not a program`);
  }
  const chrome = env.ProgramFiles ? join(env.ProgramFiles, WINDOWS_CHROME) : MAC_CHROME;
  const candidates = [chrome, chromium.executablePath()].filter(isExecutable);
  return named ?? findExecutables(NAMES, env.PATH)[0] ?? candidates[0];
}

/**
 * Finds a browser, after installing the headless shell where that is possible.
 *
 * @param {{ say?: (line: string) => void }} [options]
 * @returns {Promise<string>} its path
 * @throws {CliError} if there is no browser
 */
export async function ensureBrowser({ say = console.log } = {}) {
  const isNamed = process.env.CHROMIUM_PATH || process.env.PLAYWRIGHT_CHROMIUM_PATH;
  if (!isNamed && findExecutables([HEADLESS_SHELL]).length === 0) await installHeadlessShell(say);
  const found = findBrowser();
  if (found) return found;
  throw new CliError(
    "The browser tests need Chromium: install it so that it is on the PATH, or set CHROMIUM_PATH to a Chrome or Chromium.",
  );
}

/**
 * Only Debian has it as a package.
 *
 * @param {(line: string) => void} say
 */
async function installHeadlessShell(say) {
  const isDebian = /^ID=debian$/m.test(readIfPresent("/etc/os-release") ?? "");
  if (!isDebian || process.getuid?.() !== 0) return;
  say("Installing headless Chromium; this is done once ...");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", HEADLESS_SHELL]]) {
    await runCommand({ command: "apt-get", args: ["-qq", ...args], env });
  }
}
