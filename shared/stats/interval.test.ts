import { mean, sampleStandardDeviation } from "simple-statistics";
import { describe, expect, it } from "vitest";
import { meanInterval, wilsonInterval } from "./interval.ts";

describe("Wilson's interval", () => {
  /** Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3. */
  it.each([
    { successes: 81, trials: 263, low: 0.2553, high: 0.3662 },
    { successes: 15, trials: 148, low: 0.0624, high: 0.1605 },
    { successes: 0, trials: 20, low: 0, high: 0.1611 },
    { successes: 1, trials: 29, low: 0.0061, high: 0.1718 },
  ])("is the published one for $successes of $trials", ({ successes, trials, low, high }) => {
    const interval = wilsonInterval({ successes, trials });
    expect(interval.value).toBe(successes / trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("mirrors itself, and never leaves 0 to 1", () => {
    const few = wilsonInterval({ successes: 0, trials: 20 });
    const many = wilsonInterval({ successes: 20, trials: 20 });
    expect(many.low).toBeCloseTo(1 - few.high, 12);
    expect([few.low, many.high]).toEqual([0, 1]);
  });
});

describe("the interval of a mean", () => {
  it("follows from the sums as it does from the values", () => {
    const values = [1.8, -1, -1, 2.2, -1, 0.3, 1.5];
    const interval = meanInterval({
      count: values.length,
      sum: values.reduce((sum, value) => sum + value, 0),
      squareSum: values.reduce((sum, value) => sum + value ** 2, 0),
    });
    const halfWidth = (1.96 * sampleStandardDeviation(values)) / Math.sqrt(values.length);
    expect(interval.value).toBeCloseTo(mean(values), 12);
    expect(interval.low).toBeCloseTo(mean(values) - halfWidth, 3);
    expect(interval.high).toBeCloseTo(mean(values) + halfWidth, 3);
  });
});
