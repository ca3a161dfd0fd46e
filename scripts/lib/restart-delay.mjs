// @ts-check

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const STEADY_AFTER_MS = 60_000;

/**
 * How many times in a row a part has failed now, if it ended after running this long: one that had
 * been up for a minute starts counting anew.
 *
 * @param {{ failures: number, upMs: number }} before
 */
export function countFailure({ failures, upMs }) {
  return upMs >= STEADY_AFTER_MS ? 1 : failures + 1;
}

/**
 * Exponential back-off: 0.5 s, 1 s, 2 s ... at most 10 s.
 *
 * @param {number} failures in a row, 1 or more
 * @returns {number} milliseconds to wait before the next start
 */
export function restartDelayMs(failures) {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
}
