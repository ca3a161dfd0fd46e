import { expect, test } from "vitest";
import { formatMoment } from "./format.ts";

test("a moment of today is a time, one of another day has its date", () => {
  const now = new Date(2025, 10, 21, 15, 0);
  expect(formatMoment(new Date(2025, 10, 21, 14, 5).toISOString(), now)).toBe("14:05");
  expect(formatMoment(new Date(2025, 10, 20, 14, 5).toISOString(), now)).toBe("20 Nov 2025, 14:05");
});
