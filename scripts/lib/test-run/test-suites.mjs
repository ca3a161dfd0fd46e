// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { packageBin, runCommand } from "../commands.mjs";
import { readIfPresent } from "../files.mjs";
import { ensureMongod } from "../mongo/ensure-mongod.mjs";
import { projectRoot } from "../prepare-project.mjs";
import { ensureBrowser } from "./ensure-browser.mjs";
import { countCheck, countPlaywright, countSuite, countVitest } from "./run-suites.mjs";

/** @typedef {import("./run-suites.mjs").Counts} Counts */
/** @typedef {{ title: string, run: (signal: AbortSignal) => Promise<Counts> }} Suite */

const UNIT_REPORT = join(projectRoot, "test-results", "unit.json");
const BROWSER_REPORT = join(projectRoot, "test-results", "browser.json");

/** Output that is kept or read by a program is easier to search without colours. */
const isPlain = !process.stdout.isTTY && !process.env.FORCE_COLOR;

/** All that `npm test` runs, by the name under which one alone can be asked for. */
export const suites = new Map([
  ["types", { title: "Type check", run: runTypeCheck }],
  ["lint", { title: "Lint", run: runLint }],
  ["unit", { title: "Unit and integration tests", run: runUnitTests }],
  ["browser", { title: "Browser tests", run: runBrowserTests }],
]);

/** @type {Suite["run"]} */
async function runTypeCheck(signal) {
  return countCheck(
    await runTool({ script: packageBin("typescript", "tsc"), args: ["--noEmit"], signal }),
  );
}

/** @type {Suite["run"]} */
async function runLint(signal) {
  const colors = isPlain ? "off" : "force";
  return countCheck(
    await runTool({
      script: packageBin("@biomejs/biome"),
      args: ["ci", `--colors=${colors}`],
      signal,
    }),
  );
}

/** @type {Suite["run"]} */
async function runUnitTests(signal) {
  rmSync(UNIT_REPORT, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${UNIT_REPORT}`];
  const env = await mongodEnvironment();
  const exitCode = await runTool({
    script: packageBin("vitest"),
    args: ["run", ...reporters],
    env,
    signal,
  });
  return countSuite({ exitCode, counts: readReport(UNIT_REPORT, countVitest) });
}

/** @type {Suite["run"]} */
async function runBrowserTests(signal) {
  rmSync(BROWSER_REPORT, { force: true });
  const env = {
    ...(await mongodEnvironment()),
    CHROMIUM_PATH: await ensureBrowser(),
    PLAYWRIGHT_JSON_OUTPUT_FILE: BROWSER_REPORT,
  };
  const exitCode = await runTool({ script: packageBin("playwright"), args: ["test"], env, signal });
  return countSuite({ exitCode, counts: readReport(BROWSER_REPORT, countPlaywright) });
}

/** Spares the tools below from looking for a mongod once more. */
async function mongodEnvironment() {
  const { path, version } = await ensureMongod();
  return { MONGOMS_SYSTEM_BINARY: path, MONGOMS_VERSION: version };
}

/**
 * @param {{ script: string, args: string[], env?: NodeJS.ProcessEnv, signal: AbortSignal }} options
 * @returns {Promise<number | null>} its exit code
 */
async function runTool({ script, args, env, signal }) {
  const { code } = await runCommand({
    command: process.execPath,
    args: [script, ...args],
    cwd: projectRoot,
    env: { ...process.env, ...(isPlain ? { NO_COLOR: "1" } : {}), ...env },
    output: "inherit",
    signal,
  });
  signal.throwIfAborted();
  return code;
}

/**
 * @template Report
 * @param {string} file
 * @param {(report: Report) => Counts} count
 * @returns {Counts | undefined}
 */
function readReport(file, count) {
  const text = readIfPresent(file);
  return text === undefined ? undefined : count(JSON.parse(text));
}
