import { expect, test } from "vitest";
import { formatDay, formatR, formatRate, formatRoundPoints } from "./format-metrics.ts";

test("figures are written with a true minus, and R with as many decimals as it needs", () => {
  expect(formatRate(0.5312)).toBe("53.1%");
  expect(formatRoundPoints(0.0421)).toBe("+4");
  expect(formatRoundPoints(-0.0421)).toBe("\u22124");
  expect(formatR(0.118)).toBe("+0.12 R");
  expect(formatR(-123.44)).toBe("\u2212123.4 R");
  expect(formatR(0)).toBe("0.00 R");
});

test("a day is that of the record, in UTC", () => {
  expect(formatDay("2026-11-20T23:30:00.000Z")).toBe("20 Nov 2026");
});
