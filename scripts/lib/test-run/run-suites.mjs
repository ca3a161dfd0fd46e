// @ts-check
import { CliError } from "../cli.mjs";

/** @typedef {import("./test-suites.mjs").Suite} Suite */

/**
 * Runs suites one after the other and says what came of each and, in the last line, of all.
 *
 * @param {object} options
 * @param {ReadonlyMap<string, Suite>} options.suites
 * @param {readonly string[]} options.names the suites to run; none means all
 * @param {AbortSignal} options.signal
 * @param {(line: string) => void} [options.say]
 * @returns {Promise<boolean>} whether nothing failed
 */
export async function runSuites({ suites, names, signal, say = console.log }) {
  const results = [];
  for (const suite of chooseSuites(suites, names)) {
    say(`\n=== ${suite.title}`);
    results.push({ suite, counts: await runSuite({ suite, signal, say }) });
  }
  const total = sumCounts(results.map(({ counts }) => counts));
  say("");
  for (const { suite, counts } of results) say(`${suite.title}: ${summaryLine(counts)}`);
  say(summaryLine(total));
  return total.failed === 0;
}

/**
 * @param {ReadonlyMap<string, Suite>} suites
 * @param {readonly string[]} names
 * @returns {Suite[]}
 */
function chooseSuites(suites, names) {
  if (names.length === 0) return [...suites.values()];
  return names.map((name) => {
    const suite = suites.get(name);
    if (suite) return suite;
    throw new CliError(`No suite "${name}"; there are: ${[...suites.keys()].join(", ")}.`);
  });
}

/**
 * A suite that cannot even run has failed once.
 *
 * @param {{ suite: Suite, signal: AbortSignal, say: (line: string) => void }} options
 * @returns {Promise<Counts>}
 */
async function runSuite({ suite, signal, say }) {
  try {
    return await suite.run(signal);
  } catch (error) {
    signal.throwIfAborted();
    say(error instanceof CliError ? error.message : String(error));
    return { passed: 0, failed: 1 };
  }
}

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * A check that passes or fails as a whole.
 *
 * @param {number | null} exitCode
 * @returns {Counts}
 */
export function countCheck(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * A suite by its report. One that ends badly without a failed test, or leaves no report, has failed
 * outside its tests; that counts as one failure, so that it cannot be overlooked.
 *
 * @param {{ exitCode: number | null, counts: Counts | undefined }} outcome
 * @returns {Counts}
 */
export function countSuite({ exitCode, counts }) {
  const { passed, failed } = counts ?? { passed: 0, failed: 0 };
  const isBroken = exitCode !== 0 || counts === undefined || passed + failed === 0;
  return { passed, failed: failed === 0 && isBroken ? 1 : failed };
}

/**
 * Every test that did not pass has failed, whether it ran or not. So has a file that failed without one of its tests:
 * it could not be loaded, has no tests, or its `afterAll` failed.
 *
 * @param {object} report of Vitest's JSON reporter
 * @param {number} report.numTotalTests
 * @param {number} report.numPassedTests
 * @param {readonly { status: string, assertionResults: readonly { status: string }[] }[]} report.testResults one for each file
 * @returns {Counts}
 */
export function countVitest({ numTotalTests, numPassedTests, testResults }) {
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((test) => test.status === "passed"),
  );
  return { passed: numPassedTests, failed: numTotalTests - numPassedTests + brokenFiles.length };
}

/**
 * A test counts as passed only if it passed at its first attempt. Playwright reports a test that did not run as skipped,
 * and an error outside the tests, such as a file that cannot be loaded, among the errors.
 *
 * @param {object} report of Playwright's JSON reporter
 * @param {{ expected: number, skipped: number, unexpected: number, flaky: number }} report.stats
 * @param {readonly unknown[]} report.errors
 * @returns {Counts}
 */
export function countPlaywright({ stats, errors }) {
  const { expected, skipped, unexpected, flaky } = stats;
  return { passed: expected, failed: unexpected + flaky + skipped + errors.length };
}

/**
 * @param {readonly Counts[]} counts
 * @returns {Counts}
 */
export function sumCounts(counts) {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** @param {Counts} counts */
export function summaryLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
