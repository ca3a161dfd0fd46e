import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright";
import { CliError } from "../cli.ts";
import { findExecutables, isExecutable, runCommand } from "../run-command.ts";

/** Chromium without windows. The browser tests take about 40 % less time in it. */
const HEADLESS_SHELL = "chromium-headless-shell";

const NAMES = [
  HEADLESS_SHELL,
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
const MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const WINDOWS_CHROME = "Google\\Chrome\\Application\\chrome.exe";

/** Path of the browser in `CHROMIUM_PATH`, of one on the `PATH`, or of one installed by Playwright. */
export function findBrowser({ env } = process): string | undefined {
  const named = env.CHROMIUM_PATH || env.PLAYWRIGHT_CHROMIUM_PATH;
  if (named && !isExecutable(named)) {
    throw new CliError(`CHROMIUM_PATH: ${named} is not a program`);
  }
  const chrome = env.ProgramFiles ? join(env.ProgramFiles, WINDOWS_CHROME) : MAC_CHROME;
  const installed = [chrome, chromium.executablePath()].filter(isExecutable);
  return named || [...findExecutables(NAMES, env.PATH), ...installed][0];
}

/** Finds a browser, after installing the headless shell where that is possible. */
export async function ensureBrowser(): Promise<string> {
  const isNamed = process.env.CHROMIUM_PATH || process.env.PLAYWRIGHT_CHROMIUM_PATH;
  if (!isNamed && findExecutables([HEADLESS_SHELL]).length === 0) await installHeadlessShell();
  const found = findBrowser();
  if (found) return found;
  throw new CliError(
    "The browser tests need Chromium: install it so that it is on the PATH, or set CHROMIUM_PATH to a Chrome or Chromium.",
  );
}

async function installHeadlessShell(): Promise<void> {
  if (process.getuid?.() !== 0 || !isDebian()) return;
  console.log("Installing headless Chromium (only once) ...");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", HEADLESS_SHELL]]) {
    await runCommand({ command: "apt-get", args: ["-qq", ...args], env });
  }
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}
