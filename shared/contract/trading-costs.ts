import { z } from "zod";
import type { InstrumentClass } from "./instruments.ts";

export const MAX_COST_PERCENT = 5;

const percentSchema = z.number().min(0).max(MAX_COST_PERCENT);

/** Costs of trading a market, in percent of the price. */
export const tradingCostsSchema = z.strictObject({
  /** Bid-ask spread; half of it is paid at the entry, half at the exit. */
  spread_percent: percentSchema,
  /** Paid at the entry and again at the exit. */
  commission_percent: percentSchema,
});
export type TradingCosts = z.infer<typeof tradingCostsSchema>;

export type TradingCostTable = Readonly<Record<InstrumentClass, TradingCosts>>;

/**
 * Typical published costs of a retail account without volume discounts, as of October 2026.
 *
 * - crypto: taker fee of perpetual futures in the fee schedules of Binance (USDⓈ-M, regular user), OKX and Kraken, and
 *   the spread in their order books for large coins. Not the spot fee of 0.1 %: a signal may sell and use leverage.
 * - forex, metal, index, oil: average spreads in the price lists of CFD brokers such as OANDA, for accounts without
 *   commission: 0.6 to 1.5 pips for major pairs, 0.3 to 0.5 USD for gold, 2 to 4 points for the Dow, 3 to 4 cents for oil.
 *   Silver costs more, about 0.06 %.
 */
export const DEFAULT_TRADING_COSTS: TradingCostTable = {
  crypto: { spread_percent: 0.01, commission_percent: 0.05 },
  forex: { spread_percent: 0.015, commission_percent: 0 },
  metal: { spread_percent: 0.02, commission_percent: 0 },
  index: { spread_percent: 0.015, commission_percent: 0 },
  oil: { spread_percent: 0.05, commission_percent: 0 },
};

/** Costs of entry and exit at one price, in percent of it. */
export function roundTripPercent({ spread_percent, commission_percent }: TradingCosts): number {
  return spread_percent + 2 * commission_percent;
}

/** Costs of one unit in the quote currency. */
export function tradeCost(
  { fill, exit }: { fill: number; exit: number },
  costs: TradingCosts,
): number {
  return ((fill + exit) / 2) * (roundTripPercent(costs) / 100);
}
