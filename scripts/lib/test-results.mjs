// @ts-check

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
