import { BUDGET_PERCENTS } from "@shared/contract/constants.ts";
import type { BudgetUsage, ModelUsage } from "@shared/contract/usage.ts";
import { usageTexts } from "./texts.ts";

/** US dollars below which cents say too little: one signal costs a fraction of one. */
const SMALL_USD = 0.1;

const counts = new Intl.NumberFormat("en-US");
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const smallDollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

/** `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

/** `1 signal`, `2,345 signals`. */
export const signalCount = (count: number): string =>
  `${formatCount(count)} signal${count === 1 ? "" : "s"}`;

/** `$12.30`, `$0.0041`; nothing used costs nothing, and what has no price is not known. */
export function formatCost({
  signals,
  cost_usd: cost,
}: Pick<ModelUsage, "signals" | "cost_usd">): string {
  if (cost === null) return signals === 0 ? dollars.format(0) : usageTexts.unknownCost;
  return formatDollars(cost);
}

const formatDollars = (usd: number): string =>
  (usd > 0 && usd < SMALL_USD ? smallDollars : dollars).format(usd);

/** How far a daily budget is spent, e.g. `$1.20 of $5.00`, and what that means. */
export interface BudgetState {
  amount: string;
  text: string;
  level: "left" | "low" | "used-up";
}

/** Describes today's spending. Percentages are rounded down, so that 100% is a budget that is used up. */
export function describeBudget({ spent_usd: spent, budget_usd: budget }: BudgetUsage): BudgetState {
  const [low, usedUp] = BUDGET_PERCENTS;
  // Amounts have no exact binary form: without rounding, 1.15 of 5 would be 22%.
  const percent = Math.floor(Number(((100 * spent) / budget).toFixed(6)));
  const amount = usageTexts.spent(formatDollars(spent), formatDollars(budget));
  if (percent >= usedUp) return { amount, text: usageTexts.budgetUsedUp, level: "used-up" };
  if (percent >= low) return { amount, text: usageTexts.budgetLow(percent), level: "low" };
  return { amount, text: usageTexts.budgetLeft(percent), level: "left" };
}
