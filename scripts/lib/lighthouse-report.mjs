// @ts-check

/** What a screen must reach, from 0 to 100. */
export const LIMITS = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

/** @typedef {import("./lighthouse-runs.mjs").Measured} Measured */

/**
 * The middle one of several figures: one slow run, or one lucky one, decides nothing.
 *
 * @param {readonly number[]} figures
 */
export function median(figures) {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * One sentence for each limit that was missed.
 *
 * @param {readonly Measured[]} results
 * @returns {string[]}
 */
export function findFailures(results) {
  return results.flatMap(({ screen, preset, runs }) =>
    Object.entries(LIMITS).flatMap(([category, limit]) => {
      const score = median(scoresIn(runs, category));
      return score < limit ? [`${screen} (${preset}): ${category} ${score}, below ${limit}`] : [];
    }),
  );
}

/**
 * Medians of all categories as a table, with the single runs where they differ.
 *
 * @param {readonly Measured[]} results
 */
export function reportTable(results) {
  const categories = Object.keys(LIMITS);
  const rows = results.map(({ screen, preset, runs }) => [
    screen,
    preset,
    ...categories.map((category) => describe(scoresIn(runs, category))),
  ]);
  const table = [["screen", "preset", ...categories], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * @param {Measured["runs"]} runs
 * @param {string} category
 */
const scoresIn = (runs, category) => runs.map((scores) => scores[category] ?? 0);

/** @param {readonly number[]} scores */
function describe(scores) {
  const isSteady = new Set(scores).size === 1;
  return isSteady ? String(scores[0]) : `${median(scores)} (${scores.join(", ")})`;
}
