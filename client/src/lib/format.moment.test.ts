import { expect, test } from "vitest";
import { formatMoment, formatPriceInText } from "./format.ts";

test("within a sentence a price is grouped and has no more decimals than it needs", () => {
  expect([113_900, 1.169806, 0.00001234].map(formatPriceInText)).toEqual([
    "113,900",
    "1.16981",
    "0.00001234",
  ]);
});

test("a moment of today is a time, one of another day has its date", () => {
  const now = new Date(2025, 10, 21, 15, 0);
  expect(formatMoment(new Date(2025, 10, 21, 14, 5).toISOString(), now)).toBe("14:05");
  expect(formatMoment(new Date(2025, 10, 20, 14, 5).toISOString(), now)).toBe("20 Nov 2025, 14:05");
});
