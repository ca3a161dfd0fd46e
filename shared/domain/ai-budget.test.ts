import { expect, it } from "vitest";
import { isBudgetUsedUp } from "./ai-budget.ts";

it.each([
  [0, false],
  [0.999999999, false],
  [1, true],
  [1.2, true],
])("with %d of a budget of 1 dollar spent, it is used up: %s", (spentUsd, isUsedUp) => {
  expect(isBudgetUsedUp({ spentUsd, budgetUsd: 1 })).toBe(isUsedUp);
});
