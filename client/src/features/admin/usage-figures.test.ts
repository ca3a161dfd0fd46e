import { expect, it } from "vitest";
import { formatCost, formatCount, signalCount } from "./usage-figures.ts";

it.each([
  { signals: 3, cost_usd: 12.3, text: "$12.30" },
  { signals: 3, cost_usd: 0.0041, text: "$0.0041" },
  { signals: 3, cost_usd: 0.5, text: "$0.50" },
  { signals: 3, cost_usd: 0, text: "$0.00" },
  { signals: 3, cost_usd: null, text: "Not known" },
  { signals: 0, cost_usd: null, text: "$0.00" },
])("a cost of $cost_usd for $signals signals reads $text", ({ text, ...usage }) => {
  expect(formatCost(usage)).toBe(text);
});

it("counts are grouped", () => {
  expect(formatCount(1_234_567)).toBe("1,234,567");
  expect(signalCount(1)).toBe("1 signal");
  expect(signalCount(2_345)).toBe("2,345 signals");
});
