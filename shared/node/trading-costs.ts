import {
  MAX_COST_PERCENT,
  type TradingCosts,
  type TradingCostTable,
  tradingCostsSchema,
} from "@shared/contract/trading-costs.ts";
import { z } from "zod";
import type { Settings } from "./settings.ts";

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
