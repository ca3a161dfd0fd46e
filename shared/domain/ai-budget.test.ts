import { expect, it } from "vitest";
import { allowsScheduledAnalyses, isBudgetUsedUp } from "./ai-budget.ts";

it.each([
  [0, { isUsedUp: false, isScheduled: true }],
  [0.799999999, { isUsedUp: false, isScheduled: true }],
  [0.8, { isUsedUp: false, isScheduled: false }],
  [0.999999999, { isUsedUp: false, isScheduled: false }],
  [1, { isUsedUp: true, isScheduled: false }],
  [1.2, { isUsedUp: true, isScheduled: false }],
])("of a budget of 1 dollar, %d spent", (spentUsd, { isUsedUp, isScheduled }) => {
  const budget = { spentUsd, budgetUsd: 1 };
  expect(isBudgetUsedUp(budget)).toBe(isUsedUp);
  expect(allowsScheduledAnalyses(budget)).toBe(isScheduled);
});
