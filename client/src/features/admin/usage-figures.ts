import type { ModelUsage } from "@shared/contract/usage.ts";
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
  return (cost > 0 && cost < SMALL_USD ? smallDollars : dollars).format(cost);
}
