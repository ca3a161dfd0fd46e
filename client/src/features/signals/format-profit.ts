import { formatUsd } from "../../lib/format.ts";

/** A result in US dollars, with its sign, e.g. `+$20.00`, as wide as one with a true minus. */
export function formatProfit(usd: number): string {
  const amount = formatUsd(Math.abs(usd));
  if (amount === formatUsd(0)) return amount;
  return `${usd < 0 ? "\u2212" : "+"}${amount}`;
}
