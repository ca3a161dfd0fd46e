import { expect, test } from "vitest";
import { scaleFor, shareOf } from "./plot.tsx";

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
