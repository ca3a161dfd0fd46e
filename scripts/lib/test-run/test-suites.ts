import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { product, productServer } from "../../../e2e/support/config.ts";
import type { Command } from "../cli.ts";
import { ensureMongod } from "../mongo/mongod.ts";
import { projectRoot } from "../prepare-project.mjs";
import { packageBin } from "../run-command.ts";
import { ensureBrowser } from "./ensure-browser.ts";
import {
  type Counts,
  countCheck,
  countPlaywright,
  countSuite,
  countVitest,
  runSuites,
  type Suite,
} from "./run-suites.ts";
import { isPlain, runTool } from "./run-tool.ts";

const UNIT_REPORT = join(projectRoot, "test-results", "unit.json");
const BROWSER_REPORT = join(projectRoot, "test-results", "browser.json");

const CHANGED = "--changed";

/** Runs all suites, or those that the arguments name. The last line is `N passed, N failed`. */
export async function main({ args, say, signal }: Command): Promise<number> {
  // An interrupted run has not passed.
  process.exitCode = 1;
  const suites = listSuites(args.includes(CHANGED));
  const names = args.filter((arg) => arg !== CHANGED);
  const hasPassed = await runSuites({ suites, names, signal, say });
  process.exitCode = 0;
  return hasPassed ? 0 : 1;
}

function listSuites(isChangedOnly: boolean): Map<string, Suite> {
  const suites = new Map<string, Suite>([
    ["types", { title: "Type check", run: checkTypes }],
    ["lint", { title: "Lint", run: lint }],
  ]);
  if (isChangedOnly) {
    const filters = [CHANGED, "--passWithNoTests"];
    const run = (signal: AbortSignal) => runUnitTests(signal, filters);
    return suites.set("unit", { title: "Tests of changed files", run });
  }
  return suites
    .set("unit", { title: "Unit and integration tests", run: (signal) => runUnitTests(signal) })
    .set("browser", {
      title: "Browser tests",
      run: runBrowserTests,
      runsAlone: true,
      prepare: buildTestedPages,
    });
}

async function checkTypes(signal: AbortSignal, say: Command["say"]): Promise<Counts> {
  const script = packageBin("typescript", "tsc");
  for (const project of [".", "client/service-worker"]) {
    // Each further checker works out the types again that it shares with the others, and the tests need the processors.
    const args = ["--noEmit", "--checkers", "1", "-p", project];
    const exitCode = await runTool({ script, args, signal, say });
    if (exitCode !== 0) return countCheck(exitCode);
  }
  return countCheck(0);
}

async function lint(signal: AbortSignal, say: Command["say"]): Promise<Counts> {
  const args = ["ci", `--colors=${isPlain ? "off" : "force"}`];
  return countCheck(await runTool({ script: packageBin("@biomejs/biome"), args, signal, say }));
}

const REPORTERS = ["--reporter=default", "--reporter=json", `--outputFile.json=${UNIT_REPORT}`];

async function runUnitTests(signal: AbortSignal, filters: string[] = []): Promise<Counts> {
  rmSync(UNIT_REPORT, { force: true });
  const exitCode = await runTool({
    script: packageBin("vitest"),
    args: ["run", ...filters, ...REPORTERS],
    env: await mongodEnvironment(),
    signal,
  });
  const counts = readReport(UNIT_REPORT, countVitest);
  const isNothingToTest = filters.length > 0 && exitCode === 0 && counts?.passed === 0;
  return isNothingToTest ? counts : countSuite({ exitCode, counts });
}

function buildTestedPages(signal: AbortSignal): Promise<number | null> {
  const { env } = productServer(product, "");
  return runTool({ script: "scripts/run.mjs", args: ["build"], env, signal, say: () => undefined });
}

async function runBrowserTests(signal: AbortSignal): Promise<Counts> {
  rmSync(BROWSER_REPORT, { force: true });
  const exitCode = await runTool({
    script: packageBin("playwright"),
    args: ["test"],
    env: {
      ...(await mongodEnvironment()),
      CHROMIUM_PATH: await ensureBrowser(),
      PLAYWRIGHT_JSON_OUTPUT_FILE: BROWSER_REPORT,
    },
    signal,
  });
  return countSuite({ exitCode, counts: readReport(BROWSER_REPORT, countPlaywright) });
}

/** Saves the tools from searching for a mongod again. */
async function mongodEnvironment(): Promise<NodeJS.ProcessEnv> {
  const { path, version } = await ensureMongod();
  return { MONGOMS_SYSTEM_BINARY: path, MONGOMS_VERSION: version };
}

function readReport<Report>(file: string, count: (report: Report) => Counts): Counts | undefined {
  return existsSync(file) ? count(JSON.parse(readFileSync(file, "utf8"))) : undefined;
}
