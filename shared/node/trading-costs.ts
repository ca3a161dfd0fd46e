import type { InstrumentClass } from "@shared/contract/instruments.ts";
import {
  MAX_COST_PERCENT,
  type TradingCosts,
  tradingCostsSchema,
} from "@shared/contract/trading-costs.ts";
import { z } from "zod";
import type { Settings } from "./settings.ts";

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

const TWO_NUMBERS = /^\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*$/;

/** Trading costs as text: `spread,commission`, the commission for each side, both in percent. */
export const tradingCostsTextSchema = z.string().transform((text, context): TradingCosts => {
  const [, spread, commission] = TWO_NUMBERS.exec(text) ?? [];
  const { data } = tradingCostsSchema.safeParse({
    spread_percent: Number(spread),
    commission_percent: Number(commission),
  });
  if (data) return data;
  const message = `must be spread,commission in percent, each from 0 to ${MAX_COST_PERCENT}, such as 0.01,0.05`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

type CostSettings = Pick<
  Settings,
  | "TRADING_COSTS_CRYPTO"
  | "TRADING_COSTS_FOREX"
  | "TRADING_COSTS_METAL"
  | "TRADING_COSTS_INDEX"
  | "TRADING_COSTS_OIL"
>;

/** Costs of every class of instruments, as the settings have them. */
export function tradingCostTable(settings: CostSettings): TradingCostTable {
  return {
    crypto: settings.TRADING_COSTS_CRYPTO,
    forex: settings.TRADING_COSTS_FOREX,
    metal: settings.TRADING_COSTS_METAL,
    index: settings.TRADING_COSTS_INDEX,
    oil: settings.TRADING_COSTS_OIL,
  };
}
