import { mean, sampleStandardDeviation } from "simple-statistics";
import { describe, expect, it } from "vitest";
import { meanInterval, shareInterval, studentQuantile, wilsonInterval } from "./intervals.ts";

/** Clusters of equal size, of which the first ones won all of their trades. */
const wonClusters = (won: number, { of, size = 1 }: { of: number; size?: number }) =>
  Array.from({ length: of }, (_, index) => ({ count: size, sum: index < won ? size : 0 }));

describe("the t quantile", () => {
  /** Abramowitz and Stegun 1964, table 26.10. */
  it.each([
    { degreesOfFreedom: 3, quantile: 3.182 },
    { degreesOfFreedom: 4, quantile: 2.776 },
    { degreesOfFreedom: 10, quantile: 2.228 },
    { degreesOfFreedom: 30, quantile: 2.042 },
    { degreesOfFreedom: 1e9, quantile: 1.96 },
  ])("is the published one for $degreesOfFreedom degrees of freedom", (given) => {
    const { degreesOfFreedom, quantile } = given;
    expect(Math.abs(studentQuantile(degreesOfFreedom) / quantile - 1)).toBeLessThan(0.002);
  });
});

describe("Wilson's interval", () => {
  /** Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3. */
  it.each([
    { successes: 81, trials: 263, low: 0.2553, high: 0.3662 },
    { successes: 15, trials: 148, low: 0.0624, high: 0.1605 },
    { successes: 0, trials: 20, low: 0, high: 0.1611 },
    { successes: 1, trials: 29, low: 0.0061, high: 0.1718 },
  ])("is the published one for $successes of $trials", ({ successes, trials, low, high }) => {
    const interval = wilsonInterval(successes / trials, trials, 1.959964);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

describe("the interval of a mean", () => {
  it("is Student's where each trade is a cluster of its own", () => {
    const values = [1.8, -1, -1, 2.2, -1, 0.3, 1.5];
    const interval = meanInterval(values.map((sum) => ({ count: 1, sum })));
    const halfWidth = (2.4469 * sampleStandardDeviation(values)) / Math.sqrt(values.length);
    expect(interval?.value).toBeCloseTo(mean(values), 12);
    expect(interval?.low).toBeCloseTo(mean(values) - halfWidth, 3);
    expect(interval?.high).toBeCloseTo(mean(values) + halfWidth, 3);
  });

  it("is no narrower for trades that only repeat others", () => {
    const values = [1.8, -1, -1, 2.2, -1, 0.3, 1.5];
    const alone = meanInterval(values.map((sum) => ({ count: 1, sum })));
    const repeated = meanInterval(values.map((sum) => ({ count: 20, sum: 20 * sum })));
    expect(repeated?.value).toBeCloseTo(alone?.value ?? Number.NaN, 12);
    expect(repeated?.low).toBeCloseTo(alone?.low ?? Number.NaN, 12);
  });

  it("is not given for fewer than four clusters", () => {
    expect(meanInterval(wonClusters(1, { of: 3, size: 50 }))).toBeNull();
    expect(meanInterval(wonClusters(1, { of: 4, size: 50 }))).not.toBeNull();
    expect(meanInterval([])).toBeNull();
  });
});

describe("the interval of a share", () => {
  it("is close to Wilson's where each trade is a cluster of its own", () => {
    const interval = shareInterval(wonClusters(81, { of: 263 }));
    expect(interval?.value).toBe(81 / 263);
    expect(interval?.low).toBeCloseTo(0.2553, 2);
    expect(interval?.high).toBeCloseTo(0.3662, 2);
  });

  it("stays within 0 and 1, and has a width even if all trades ended alike", () => {
    const lost = shareInterval(wonClusters(0, { of: 20, size: 5 }));
    const won = shareInterval(wonClusters(20, { of: 20, size: 5 }));
    expect(lost?.low).toBe(0);
    expect(lost?.high).toBeGreaterThan(0.16);
    expect(won?.high).toBe(1);
    expect(won?.low).toBeCloseTo(1 - (lost?.high ?? Number.NaN), 12);
  });

  it("is moved by the baselines, and only the difference varies", () => {
    const clusters = wonClusters(18, { of: 40 });
    const plain = shareInterval(clusters);
    const even = shareInterval(clusters.map((cluster) => ({ ...cluster, baselines: 0.4 })));
    expect(even?.value).toBeCloseTo(18 / 40 - 0.4, 12);
    expect(even?.low).toBeCloseTo((plain?.low ?? Number.NaN) - 0.4, 12);
    const foreseen = clusters.map((cluster) => ({ ...cluster, baselines: cluster.sum * 0.8 }));
    const narrow = shareInterval(foreseen);
    expect((narrow?.high ?? 1) - (narrow?.low ?? 0)).toBeLessThan(0.1);
  });

  it("has a width if all trades lost, whatever their baselines", () => {
    const clusters = Array.from({ length: 8 }, (_, index) => ({
      count: 5,
      sum: 0,
      baselines: 0.5 + 0.1 * index,
    }));
    const edge = shareInterval(clusters);
    expect(edge?.value).toBeCloseTo(-0.17, 12);
    expect(edge?.low).toBeCloseTo(-0.17, 12);
    expect(edge?.high).toBeGreaterThan(0.1);
  });
});
