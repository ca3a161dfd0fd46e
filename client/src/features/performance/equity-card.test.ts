import { expect, test } from "vitest";
import { sampleEvenly, scaleFor, shareOf } from "./equity-card.tsx";

test("a scale has round labels, and holds 0 and every value", () => {
  expect(scaleFor([3, 17, 38]).ticks).toEqual([0, 10, 20, 30, 40]);
  expect(scaleFor([-3, 4]).ticks).toEqual([-4, -2, 0, 2, 4]);
  expect(scaleFor([-12, -1])).toMatchObject({ low: -15, high: 0 });
});

test("a flat curve has a scale too", () => {
  const { low, high } = scaleFor([0, 0]);
  expect(high).toBeGreaterThan(low);
  expect(shareOf(low, { low, high })).toBe(0);
});

test("a sample is spread evenly and ends with the last", () => {
  const items = Array.from({ length: 101 }, (_, index) => index);
  const sample = sampleEvenly(items, 20);
  expect(sample.length).toBeLessThanOrEqual(20);
  expect(sample.at(-1)).toBe(100);
  expect(sampleEvenly([1, 2, 3], 20)).toEqual([1, 2, 3]);
});
