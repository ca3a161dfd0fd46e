import { z } from "zod";

/** Highest percentage that is accepted for a spread or a commission. */
export const MAX_COST_PERCENT = 5;

const percentSchema = z.number().min(0).max(MAX_COST_PERCENT);

/** What trading a market costs, in percent of the price. */
export const tradingCostsSchema = z.strictObject({
  /** Distance between bid and ask; half of it is paid at the entry, half at the exit. */
  spread_percent: percentSchema,
  /** Commission of each side: paid at the entry and again at the exit. */
  commission_percent: percentSchema,
});
export type TradingCosts = z.infer<typeof tradingCostsSchema>;

/** Cost of getting in and out at one price, in percent of it. */
export function roundTripPercent({ spread_percent, commission_percent }: TradingCosts): number {
  return spread_percent + 2 * commission_percent;
}

/** Cost of one unit that was bought and sold at these prices, in the quote currency. */
export function tradeCost(
  { fill, exit }: { fill: number; exit: number },
  costs: TradingCosts,
): number {
  return ((fill + exit) / 2) * (roundTripPercent(costs) / 100);
}
