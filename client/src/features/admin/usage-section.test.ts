import { expect, it } from "vitest";
import { describeBudget, formatCost } from "./usage-section.tsx";

it.each([
  { signals: 3, cost_usd: 12.3, text: "$12.30" },
  { signals: 3, cost_usd: 0.0041, text: "$0.0041" },
  { signals: 3, cost_usd: 0.5, text: "$0.50" },
  { signals: 3, cost_usd: 0, text: "$0.00" },
  { signals: 3, cost_usd: null, text: "Unknown" },
  { signals: 0, cost_usd: null, text: "$0.00" },
])("a cost of $cost_usd for $signals signals reads $text", ({ text, ...usage }) => {
  expect(formatCost(usage)).toBe(text);
});

const left = (percent: number) => ({
  text: `${percent}% spent. Resets at 00:00 UTC.`,
  level: "left",
});
const low = (percent: number) => ({
  text: `${percent}% spent. Scheduled analyses have stopped until 00:00 UTC.`,
  level: "low",
});
const usedUp = {
  text: "Used up. Requests that need a new analysis fail until 00:00 UTC.",
  level: "used-up",
};

it.each([
  [0, "$0.00 of $5.00", left(0)],
  [0.0123, "$0.0123 of $5.00", left(0)],
  [1.15, "$1.15 of $5.00", left(23)],
  [3.9999, "$4.00 of $5.00", left(79)],
  [4, "$4.00 of $5.00", low(80)],
  [4.9999, "$5.00 of $5.00", low(99)],
  [5, "$5.00 of $5.00", usedUp],
  [5.2, "$5.20 of $5.00", usedUp],
])("a spending of %d of a budget of 5 dollars reads %s", (spent_usd, amount, state) => {
  expect(describeBudget({ spent_usd, budget_usd: 5 })).toEqual({ amount, ...state });
});
