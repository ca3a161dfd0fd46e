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
 * @param {{ numPassedTests: number, numFailedTests: number }} report of Vitest's JSON reporter
 * @returns {Counts}
 */
export function countVitest(report) {
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}

/**
 * @param {{ stats: { expected: number, unexpected: number, flaky: number } }} report of Playwright's JSON reporter
 * @returns {Counts}
 */
export function countPlaywright({ stats }) {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
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
