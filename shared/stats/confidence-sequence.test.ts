import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { expect, it } from "vitest";
import {
  boundaryAfter,
  confidenceSequence,
  sequenceSpread,
  tradesUntilKnown,
} from "./confidence-sequence.ts";
import { meanInterval, studentQuantile } from "./intervals.ts";

const level = { alpha: 0.05, horizon: 800 };

/** Independent results in R of trades that win as often as chance, each its own cluster. */
function chanceTrades(seed: number, count: number, advantage = 0) {
  const random = xoroshiro128plus(seed);
  return Array.from({ length: count }, () => {
    const reward = 1 + uniformFloat64(random);
    const won = uniformFloat64(random) < 1 / (1 + reward);
    return { count: 1, sum: advantage + (won ? reward : -1) };
  });
}

it("is wider than an interval for one look, and narrowest for its size at the horizon", () => {
  const trades = chanceTrades(1, 800);
  const width = (interval: { low: number; high: number } | null) =>
    interval ? interval.high - interval.low : Number.NaN;
  const wider = width(confidenceSequence(trades, level)) / width(meanInterval(trades));
  expect(wider).toBeGreaterThan(1);
  expect(wider).toBeLessThan(1.25);
  expect(boundaryAfter(100, level)).toBeGreaterThan(boundaryAfter(800, level));
  expect(boundaryAfter(801, level)).toBeGreaterThan(boundaryAfter(800, level));
  expect(boundaryAfter(1_000_000, level)).toBeLessThan(5);
});

it("finds an advantage of 0.15 R within 800 trades, and none where there is none", () => {
  const claims = (advantage: number) =>
    Array.from({ length: 100 }, (_, seed) => {
      const trades = chanceTrades(seed + 1, 800, advantage);
      return Array.from({ length: 80 }, (_, look) =>
        confidenceSequence(trades.slice(0, 10 * (look + 1)), level),
      ).some((interval) => interval !== null && (interval.low > 0 || interval.high < 0));
    }).filter(Boolean).length;
  expect(claims(0.15)).toBeGreaterThanOrEqual(80);
  expect(claims(0)).toBeLessThanOrEqual(5);
});

it("says nothing of fewer than ten clusters, or of results that are all alike", () => {
  expect(confidenceSequence(chanceTrades(1, 9), level)).toBeNull();
  expect(confidenceSequence(chanceTrades(1, 10), level)).not.toBeNull();
  const losses = Array.from({ length: 40 }, () => ({ count: 1, sum: -1 }));
  expect(confidenceSequence(losses, level)).toBeNull();
  expect(confidenceSequence(losses, { ...level, leastVariance: 4 })?.high).toBeGreaterThan(0);
});

it("says how many trades it takes to know, if they go on as they did", () => {
  const spread = sequenceSpread(chanceTrades(3, 200, 0.1));
  if (!spread) throw new Error("200 trades are enough.");
  const trades = tradesUntilKnown({ ...spread, ...level }, 0);
  expect(trades).toBeGreaterThan(200);
  expect(tradesUntilKnown({ ...spread, ...level }, spread.mean - 1)).toBe(200);
  expect(tradesUntilKnown({ ...spread, ...level }, spread.mean)).toBeNull();
});

it("uses Student's t quantile of the same tail", () => {
  // Found by numerical integration.
  expect(studentQuantile(9, 4)).toBeCloseTo(6.999, 1);
  expect(studentQuantile(20, 5)).toBeCloseTo(7.197, 2);
});
