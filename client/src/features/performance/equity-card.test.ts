import { expect, test } from "vitest";
import { sampleEvenly } from "./equity-card.tsx";

test("a sample is spread evenly and ends with the last", () => {
  const items = Array.from({ length: 101 }, (_, index) => index);
  const sample = sampleEvenly(items, 20);
  expect(sample.length).toBeLessThanOrEqual(20);
  expect(sample.at(-1)).toBe(100);
  expect(sampleEvenly([1, 2, 3], 20)).toEqual([1, 2, 3]);
});
