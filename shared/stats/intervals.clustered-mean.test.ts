import { describe, expect, it } from "vitest";
import { clusteredMean, effectiveClusters, effectiveSampleSize } from "./intervals.ts";

/** The sums of clusters that are given by the values of their trades. */
const clustersOf = (values: readonly (readonly number[])[]) =>
  values.map((cluster) => ({
    count: cluster.length,
    sum: cluster.reduce((sum, value) => sum + value, 0),
    squareSum: cluster.reduce((sum, value) => sum + value ** 2, 0),
  }));

describe("a clustered mean", () => {
  it("of clusters of equal size has the variance of their means", () => {
    const estimate = clusteredMean(
      clustersOf([
        [1, 3],
        [2, 6],
        [0, 0],
        [5, 1],
        [2, 2],
      ]),
    );
    // Means 2, 4, 0, 3, 2: mean 2.2, sample variance 2.2.
    expect(estimate?.mean).toBeCloseTo(2.2, 12);
    expect(estimate?.variance).toBeCloseTo(2.2 / 5, 12);
    expect(estimate?.degreesOfFreedom).toBeCloseTo(4, 12);
  });

  it("of unequal clusters has the degrees of freedom of Bell and McCaffrey", () => {
    const counts = [10, 4, 3, 7, 1, 6];
    const total = counts.reduce((sum, count) => sum + count, 0);
    const shares = counts.map((count) => count / total);
    // Tr(M)² / Tr(M²), M being the covariance of the adjusted residuals of independent trades.
    const covariance = shares.map((a, row) =>
      shares.map((b, column) => ((row === column ? a : 0) - a * b) / Math.sqrt((1 - a) * (1 - b))),
    );
    const trace = covariance.reduce((sum, row, index) => sum + (row[index] ?? Number.NaN), 0);
    const squares = covariance.flat().reduce((sum, value) => sum + value ** 2, 0);
    const estimate = clusteredMean(counts.map((count, index) => ({ count, sum: index })));
    expect(estimate?.degreesOfFreedom).toBeCloseTo(trace ** 2 / squares, 12);
  });

  it("is not given where one cluster holds nearly all trades", () => {
    const clusters = [
      { count: 500, sum: 200 },
      ...Array.from({ length: 20 }, () => ({ count: 1, sum: 0 })),
    ];
    expect(clusteredMean(clusters)).toBeNull();
  });
});

describe("the effective sample size", () => {
  it("is about that of the clusters where their trades all end alike", () => {
    const alike = [3, -1, 2, -1, 0, 1, -2, 4].map((value) => Array<number>(6).fill(value));
    // Eight clusters; the variance of their mean has 7 degrees of freedom, that of 48 trades has 47.
    expect(effectiveSampleSize(clustersOf(alike))).toBeCloseTo((7 * 48) / 47, 12);
  });

  it("is the number of trades where each is a cluster of its own, and never more", () => {
    const values = [3, -1, 2, -1, 0, 1, -2, 4];
    expect(effectiveSampleSize(clustersOf(values.map((value) => [value])))).toBeCloseTo(8, 12);
    // Opposite results within each cluster: their mean is known better than that of independent trades.
    const opposite = values.map((value) => [value, 0.1 - value]);
    expect(effectiveSampleSize(clustersOf(opposite))).toBeLessThanOrEqual(16);
  });

  it("counts each cluster as one where they are too few or too uniform to say more", () => {
    expect(
      effectiveSampleSize(
        clustersOf([
          [1, -1, 1],
          [2, 1, -1],
        ]),
      ),
    ).toBeCloseTo(2, 12);
    const uniform = Array.from({ length: 9 }, () => [1, 1, 1]);
    expect(effectiveSampleSize(clustersOf(uniform))).toBeCloseTo(9, 12);
    expect(effectiveSampleSize([])).toBe(0);
  });

  it("of unequal clusters is that of fewer equal ones", () => {
    expect(effectiveClusters(clustersOf([[1], [1], [1, 1, 1, 1]]))).toBeCloseTo(36 / 18, 12);
  });
});
