import { CliError } from "../cli.ts";

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
