import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { product, productServer } from "../../../e2e/support/config.ts";
import { CliError, type Command } from "../cli.ts";
import { ensureMongod } from "../mongo/mongod.ts";
import { projectRoot } from "../prepare-project.mjs";
import { packageBin } from "../run-command.ts";
import { type Changes, findChanges } from "./changed-tests.ts";
import { ensureBrowser } from "./ensure-browser.ts";
import { isPlain, runTool } from "./run-tool.ts";

const COMPONENT_REPORT = join(projectRoot, "test-results", "components.json");
const UNIT_REPORT = join(projectRoot, "test-results", "unit.json");
const BROWSER_REPORT = join(projectRoot, "test-results", "browser.json");

const CHANGED = "--changed";

/** Runs all suites, or those that the arguments name. The last line is `N passed, N failed`. */
export async function main({ args, say, signal }: Command): Promise<number> {
  // An interrupted run has not passed.
  process.exitCode = 1;
  const suites = args.includes(CHANGED) ? suitesOfChanges(await findChanges()) : allSuites();
  const names = args.filter((arg) => arg !== CHANGED);
  const hasPassed = await runSuites({ suites, names, signal, say });
  process.exitCode = 0;
  return hasPassed ? 0 : 1;
}

function allSuites(): Map<string, Suite> {
  return new Map<string, Suite>([
    ["types", { title: "Type check", run: checkTypes }],
    ["lint", { title: "Lint", run: lint }],
    ["components", { title: "Component tests", run: runComponentTests }],
    ["unit", { title: "Unit and integration tests", run: (signal) => runUnitTests(signal) }],
    [
      "browser",
      {
        title: "Browser tests",
        run: runBrowserTests,
        runsAlone: true,
        prepare: buildTestedPages,
      },
    ],
  ]);
}

/** @param changes undefined if they may concern all files: then vitest finds the tests */
function suitesOfChanges(changes: Changes | undefined): Map<string, Suite> {
  const filters = changes?.tests ?? [CHANGED, "--passWithNoTests"];
  const linted = changes?.files.includes("biome.json") ? [] : changes?.files;
  return new Map<string, Suite>([
    ["types", { title: "Type check", run: checkTypes }],
    ["lint", { title: "Lint", run: (signal, say) => lint(signal, say, linted) }],
    ["unit", { title: "Tests of changed files", run: (signal) => runUnitTests(signal, filters) }],
  ]);
}

const TYPE_PROJECTS = { project: ".", "service-worker": "client/service-worker" };

/** The checker is a program in Go: with fewer garbage collections, it takes a fifth less time and a tenth more memory. */
const TYPE_CHECKER = { GOGC: "400" };

async function checkTypes(signal: AbortSignal, say: Command["say"]): Promise<Counts> {
  const script = packageBin("typescript", "tsc");
  for (const [name, folder] of Object.entries(TYPE_PROJECTS)) {
    // Each further checker works out the types again that it shares with the others, and the tests need the processors.
    const args = ["--noEmit", "--checkers", "1", "-p", folder, ...sinceLastCheck(name)];
    const exitCode = await runTool({
      script,
      args,
      env: TYPE_CHECKER,
      signal,
      say,
      isBackground: true,
    });
    if (exitCode !== 0) return countCheck(exitCode);
  }
  return countCheck(0);
}

/** A later check works out only the types of what has changed since. */
function sinceLastCheck(name: string): string[] {
  const note = join(projectRoot, "node_modules", ".cache", "types", `${name}.tsbuildinfo`);
  return ["--incremental", "--tsBuildInfoFile", note];
}

/** @param files by default all of the project; the linter does not know each kind of file */
async function lint(signal: AbortSignal, say: Say, files: readonly string[] = []): Promise<Counts> {
  const args = ["ci", `--colors=${isPlain ? "off" : "force"}`];
  if (files.length > 0) args.push("--no-errors-on-unmatched", ...files);
  const script = packageBin("@biomejs/biome");
  return countCheck(await runTool({ script, args, signal, say, isBackground: true }));
}

/** They hardly wait, and need no database: they use the processors while the integration tests wait. */
async function runComponentTests(signal: AbortSignal, say: Say): Promise<Counts> {
  const args = ["--project", "components"];
  return countSuite(await runVitest({ args, report: COMPONENT_REPORT, signal, say }));
}

/** @param filters by default, all but the component tests */
async function runUnitTests(signal: AbortSignal, filters: string[] = []): Promise<Counts> {
  const env = await mongodEnvironment();
  const args = filters.length > 0 ? filters : ["--project", "shared"];
  const outcome = await runVitest({ args, report: UNIT_REPORT, env, signal });
  const { exitCode, counts } = outcome;
  const isNothingToTest = filters.length > 0 && exitCode === 0 && counts?.passed === 0;
  return isNothingToTest ? counts : countSuite(outcome);
}

async function runVitest(options: {
  args: readonly string[];
  report: string;
  env?: NodeJS.ProcessEnv;
  signal: AbortSignal;
  say?: Say;
}) {
  const { args, report, ...others } = options;
  rmSync(report, { force: true });
  const exitCode = await runTool({
    ...others,
    script: packageBin("vitest"),
    args: ["run", ...args, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
  });
  return { exitCode, counts: readReport(report, countVitest) };
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

export interface Counts {
  passed: number;
  failed: number;
}

type Say = (line: string) => void;

export interface Suite {
  title: string;
  run: (signal: AbortSignal, say: Say) => Promise<Counts>;
  /** Runs after all others, which run at the same time. */
  runsAlone?: boolean;
  /** What the suite would have to do first, done while the others run. If it fails, the suite does it and says why. */
  prepare?: (signal: AbortSignal) => Promise<unknown>;
}

/** Runs the named suites, or all, and prints the results of each and, in the last line, of all. */
export async function runSuites(options: {
  suites: ReadonlyMap<string, Suite>;
  names: readonly string[];
  signal: AbortSignal;
  say: Say;
}): Promise<boolean> {
  const { suites, names, signal, say } = options;
  const run = async (suite: Suite) => {
    say(`\n=== ${suite.title}`);
    return { title: suite.title, counts: await runSuite(suite, { signal, say }) };
  };
  const chosen = chooseSuites(suites, names);
  const first = chosen.filter(({ runsAlone }) => !runsAlone);
  const last = chosen.filter(({ runsAlone }) => runsAlone);
  const prepared = first.length > 0 ? last.map(({ prepare }) => prepare?.(signal)) : [];
  const preparations = Promise.allSettled(prepared);
  const results = await Promise.all(first.map(run));
  await preparations;
  for (const suite of last) results.push(await run(suite));
  const total = sumCounts(results.map(({ counts }) => counts));
  say("");
  for (const { title, counts } of results) say(`${title}: ${summaryLine(counts)}`);
  say(summaryLine(total));
  return total.failed === 0;
}

function chooseSuites(suites: ReadonlyMap<string, Suite>, names: readonly string[]): Suite[] {
  if (names.length === 0) return [...suites.values()];
  return names.map((name) => {
    const suite = suites.get(name);
    if (suite) return suite;
    throw new CliError(`No suite "${name}"; there are: ${[...suites.keys()].join(", ")}.`);
  });
}

async function runSuite(
  suite: Suite,
  { signal, say }: { signal: AbortSignal; say: Say },
): Promise<Counts> {
  try {
    return await suite.run(signal, say);
  } catch (error) {
    signal.throwIfAborted();
    say(error instanceof CliError ? error.message : String(error));
    return { passed: 0, failed: 1 };
  }
}

export function countCheck(exitCode: number | null): Counts {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** A suite that fails without a failed test, or leaves no report, counts as one failure. */
export function countSuite(outcome: {
  exitCode: number | null;
  counts: Counts | undefined;
}): Counts {
  const { passed, failed } = outcome.counts ?? { passed: 0, failed: 0 };
  const isBroken = outcome.exitCode !== 0 || passed + failed === 0;
  return { passed, failed: failed === 0 && isBroken ? 1 : failed };
}

export interface VitestReport {
  numTotalTests: number;
  numPassedTests: number;
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

/**
 * Every test that did not pass has failed, also if it did not run. So has a file that failed without one of its tests: it
 * could not be loaded, has no tests, or its `afterAll` failed.
 */
export function countVitest({ numTotalTests, numPassedTests, testResults }: VitestReport): Counts {
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((test) => test.status === "passed"),
  );
  return { passed: numPassedTests, failed: numTotalTests - numPassedTests + brokenFiles.length };
}

export interface PlaywrightReport {
  stats: { expected: number; skipped: number; unexpected: number; flaky: number };
  errors: readonly unknown[];
}

/**
 * Playwright names each test as flaky that passed only at its second attempt. A skipped test did not run. `errors` are those
 * outside of tests.
 */
export function countPlaywright({ stats, errors }: PlaywrightReport): Counts {
  const { expected, skipped, unexpected, flaky } = stats;
  return { passed: expected + flaky, failed: unexpected + skipped + errors.length };
}

export function sumCounts(counts: readonly Counts[]): Counts {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

export const summaryLine = ({ passed, failed }: Counts): string =>
  `${passed} passed, ${failed} failed`;
