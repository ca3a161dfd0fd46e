import { expect, test } from "vitest";
import {
  confidenceLevel,
  formatBytes,
  formatChange,
  formatConfidence,
  formatCount,
  formatDay,
  formatDuration,
  formatElapsed,
  formatPlural,
  formatR,
  formatRate,
  formatRoundPoints,
  formatUnits,
  formatUsd,
  formatUtc,
} from "./format.ts";

test("amounts, sizes and ratios read as people write them", () => {
  expect(formatUsd(1_234.5)).toBe("$1,234.50");
  expect(formatUnits(0.00083456)).toBe("0.00083456");
  expect(formatUnits(12_500)).toBe("12,500");
  expect(formatConfidence(61.5)).toBe("61.5%");
});

test("counts are grouped, and take the plural except for one", () => {
  expect(formatCount(1_234_567)).toBe("1,234,567");
  expect(formatPlural(1, "signal")).toBe("1 signal");
  expect(formatPlural(2_345, "signal")).toBe("2,345 signals");
});

test("changes are signed, with a true minus, and zero has no sign", () => {
  expect(formatChange(2.6)).toBe("+2.60%");
  expect(formatChange(-1.2)).toBe("\u22121.20%");
  expect(formatChange(0)).toBe("0.00%");
});

test("elapsed time counts whole seconds and never runs backwards", () => {
  expect(formatElapsed(67_900)).toBe("1:07");
  expect(formatElapsed(-5)).toBe("0:00");
});

test.each([
  [70.1, "high"],
  [70, "medium"],
  [50.1, "medium"],
  [50, "low"],
  [0, "low"],
])("a confidence of %d is %s", (confidence, level) => {
  expect(confidenceLevel(confidence)).toBe(level);
});

test("file sizes are rounded to what a reader needs", () => {
  expect(formatBytes(10)).toBe("1 KB");
  expect(formatBytes(640 * 1_024)).toBe("640 KB");
  expect(formatBytes(1.44 * 1_024 * 1_024)).toBe("1.4 MB");
});

test("durations are shown in their two largest units", () => {
  const texts = [-5, 0, 45, 75, 3_600, 7_505, 86_399, 90_000].map((s) => formatDuration(s * 1_000));
  expect(texts).toEqual([
    "0 s",
    "0 s",
    "45 s",
    "1 min 15 s",
    "1 h 00 min",
    "2 h 05 min",
    "23 h 59 min",
    "1 d 1 h",
  ]);
});

test("times can be shown in UTC", () => {
  expect(formatUtc("2025-11-21T23:05:59.000Z")).toBe("21 Nov 2025, 23:05 UTC");
});

test("metrics have a true minus sign, and R has as many decimals as it needs", () => {
  expect(formatRate(0.5312)).toBe("53.1%");
  expect(formatRoundPoints(0.0421)).toBe("+4");
  expect(formatRoundPoints(-0.0421)).toBe("\u22124");
  expect(formatR(0.118)).toBe("+0.12 R");
  expect(formatR(-1.02)).toBe("\u22121.02 R");
  expect(formatR(-123.44)).toBe("\u2212123.4 R");
  expect(formatR(0)).toBe("0.00 R");
});

test("a day is that of the record, in UTC", () => {
  expect(formatDay("2026-11-20T23:30:00.000Z")).toBe("20 Nov 2026");
});
