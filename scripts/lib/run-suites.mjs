// @ts-check
import { PlainError } from "./plain-error.mjs";
import { sumCounts, summaryLine } from "./test-results.mjs";

/** @typedef {import("./test-results.mjs").Counts} Counts */
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
    throw new PlainError(`No suite "${name}"; there are: ${[...suites.keys()].join(", ")}.`);
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
    say(error instanceof PlainError ? error.message : String(error));
    return { passed: 0, failed: 1 };
  }
}
