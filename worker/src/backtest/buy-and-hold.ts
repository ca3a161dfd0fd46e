import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { type TradingCosts, tradeCost } from "@shared/contract/trading-costs.ts";
import { EMPTY_STRETCH, joinStretches, stretchOf } from "@shared/stats/equity.ts";
import { type Course, candleAt, closeOf } from "./course.ts";
import type { WalkedTrade } from "./walk-market.ts";

/** Buying at the first bar and holding to the last. */
export interface HoldResult {
  /** Unix ms. */
  from: number;
  to: number;
  returnPercent: number;
  /** Deepest fall from a high, by closes, in percent of what was paid. */
  maxDrawdownPercent: number;
  /** What one R of the trades is in percent of the price: the mean distance of their stops; null without trades. */
  percentPerR: number | null;
  /** Value in percent of the price paid, after each close; net of costs, as a sale then would bring it. */
  curve: { at: number; percent: number }[];
}

/**
 * What holding the market through the same bars would have brought, in percent. To compare it with trades, `percentPerR`
 * says what share of the price they risked at a time: a holder who sizes by the same risk makes `returnPercent /
 * percentPerR` R.
 */
export function buyAndHold(options: {
  course: Course;
  trades: readonly WalkedTrade[];
  costs: TradingCosts;
}): HoldResult {
  const { course, trades, costs } = options;
  const { timeframe, series, firstBar } = course;
  const bought = candleAt(course, firstBar + 1).open;
  const held = series.candles.slice(firstBar + 1, course.lastBar + 2);
  const curve = held.map(({ time, close }) => ({
    at: time + TIMEFRAME_MS[timeframe],
    percent: (100 * (close - bought - tradeCost({ fill: bought, exit: close }, costs))) / bought,
  }));
  const changes = curve.map(({ percent }, index) => percent - (curve[index - 1]?.percent ?? 0));
  const { total, drawdown } = changes.map(stretchOf).reduce(joinStretches, EMPTY_STRETCH);
  return {
    from: closeOf(course, firstBar),
    to: curve.at(-1)?.at ?? closeOf(course, firstBar),
    returnPercent: total,
    maxDrawdownPercent: drawdown,
    percentPerR: meanStopPercent(trades),
    curve,
  };
}

function meanStopPercent(trades: readonly WalkedTrade[]): number | null {
  if (trades.length === 0) return null;
  const percents = trades.map(
    ({ trade: { entry, stopLoss } }) => (100 * Math.abs(entry - stopLoss)) / entry,
  );
  return percents.reduce((sum, percent) => sum + percent, 0) / percents.length;
}
