import type { HistoryItem } from "@shared/contract/signal.ts";

/** The three prices of a trade, in the quote currency. */
export interface TradeLevels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

type RawLevels = Pick<HistoryItem, "entry" | "stop_loss" | "take_profit">;

export function tradeLevels(raw: RawLevels): TradeLevels | null {
  if (raw.entry === null || raw.stop_loss === null || raw.take_profit === null) return null;
  return { entry: raw.entry, stopLoss: raw.stop_loss, takeProfit: raw.take_profit };
}

export const distancePercent = (entry: number, price: number): number =>
  ((price - entry) / entry) * 100;

/** Distance of the target in units of the risk; null if the stop is at the entry. */
export function rewardToRisk({ entry, stopLoss, takeProfit }: TradeLevels): number | null {
  const risk = Math.abs(entry - stopLoss);
  return risk === 0 ? null : Math.abs(takeProfit - entry) / risk;
}
