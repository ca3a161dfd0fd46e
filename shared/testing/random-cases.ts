/** `npm run test:fuzz` and `npm run test:statistics` run all random cases. */
export const RUNS_ALL_CASES = process.env.RANDOM_CASES === "all";

const SHARE = 10;

/** How many random cases of a property run: in `npm test` a tenth of `all`, always the same ones; otherwise new ones. */
export const randomCases = (all: number): { numRuns: number; seed?: number } =>
  RUNS_ALL_CASES ? { numRuns: all } : { numRuns: Math.ceil(all / SHARE), seed: 1 };
