import { roundTripPercent, type TradingCosts, tradeCost } from "@shared/contract/trading-costs.ts";
import { formatNumber } from "@shared/domain/format-price.ts";

/** Largest share of a trade's risk (entry to stop) that its trading costs may take. */
export const MAX_COST_SHARE = 0.15;

/** Levels have no exact binary form. */
const TOLERANCE = 1e-9;

interface Risk {
  entry: number;
  stopLoss: number;
}

export function costShare({ entry, stopLoss }: Risk, costs: TradingCosts): number {
  return tradeCost({ fill: entry, exit: entry }, costs) / Math.abs(entry - stopLoss);
}

export function isTooCostly(risk: Risk, costs: TradingCosts): boolean {
  return costShare(risk, costs) > MAX_COST_SHARE + TOLERANCE;
}

/** Distance from an entry at `price` to the nearest stop that the costs allow. */
export function minStopDistance(price: number, costs: TradingCosts): number {
  return tradeCost({ fill: price, exit: price }, costs) / MAX_COST_SHARE;
}

/** Reason not to propose a trade whose costs are too high; empty otherwise. */
export function costWarnings(
  { entry, stop_loss: stopLoss }: { entry: number | null; stop_loss: number | null },
  costs: TradingCosts,
): string[] {
  if (entry === null || stopLoss === null || !isTooCostly({ entry, stopLoss }, costs)) return [];
  const stopPercent = (100 * Math.abs(entry - stopLoss)) / entry;
  return [
    `No trade is proposed: its trading costs of ${percent(roundTripPercent(costs), 3)} of the price are ` +
      `${percent(100 * costShare({ entry, stopLoss }, costs))} of its risk, with the stop ${percent(stopPercent)} ` +
      `from the entry; the limit is ${percent(100 * MAX_COST_SHARE)}.`,
  ];
}

export function costNumbers(price: number, costs: TradingCosts): number[] {
  return [
    costs.spread_percent,
    costs.commission_percent,
    roundTripPercent(costs),
    100 * MAX_COST_SHARE,
    minStopDistance(price, costs),
  ];
}

const percent = (value: number, decimals = 2): string => `${formatNumber(value, decimals)}%`;
