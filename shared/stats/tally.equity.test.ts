import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  downsampleCurve,
  EMPTY_SEGMENT,
  type EquityStep,
  equityCurve,
  mergeSegments,
  segmentOf,
} from "./tally.ts";

const stretch = (results: readonly number[]) =>
  results.map(segmentOf).reduce(mergeSegments, EMPTY_SEGMENT);
const results = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 30 });

describe("the maximum drawdown", () => {
  it("is the largest decline from a peak, in R", () => {
    // 0, 2, 1, 0, 3, 2, 1, 2, 0.5, 4: from 3 to 0.5.
    expect(stretch([2, -1, -1, 3, -1, -1, 1, -1.5, 3.5]).drawdown).toBe(2.5);
  });

  it("counts a fall from the very start", () => {
    expect(stretch([-1, -1, 5]).drawdown).toBe(2);
  });

  it("is that of the whole curve, wherever the record is cut", () => {
    fc.assert(
      fc.property(results, results, (before, after) => {
        let total = 0;
        let high = 0;
        let deepest = 0;
        for (const r of [...before, ...after]) {
          total += r;
          high = Math.max(high, total);
          deepest = Math.max(deepest, high - total);
        }
        const joined = mergeSegments(stretch(before), stretch(after));
        expect(joined).toEqual(stretch([...before, ...after]));
        expect(joined.drawdown).toBe(deepest);
        expect(joined.total).toBe(total);
      }),
    );
  });
});

describe("a downsampled curve", () => {
  const curve: EquityStep[] = equityCurve(
    Array.from({ length: 10_000 }, (_, at) => ({ at, r: Math.sin(at / 300) / 50 })),
  );
  const spiked = curve.map((step) => (step.at === 4_321 ? { ...step, r: 99 } : step));

  it("keeps first, last and every extreme, in order", () => {
    const thin = downsampleCurve(spiked, 500);
    expect(thin.length).toBeLessThanOrEqual(500);
    expect(thin.length).toBeGreaterThan(400);
    expect(thin.at(0)).toEqual(spiked.at(0));
    expect(thin.at(-1)).toEqual(spiked.at(-1));
    expect(thin).toContainEqual({ at: 4_321, r: 99 });
    expect(thin.map(({ at }) => at)).toEqual(thin.map(({ at }) => at).toSorted((a, b) => a - b));
  });

  it("is the curve itself if that is short enough", () => {
    expect(downsampleCurve(curve.slice(0, 500), 500)).toEqual(curve.slice(0, 500));
  });
});
