import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";

/** Monday, 2026-01-05T12:00:00Z. */
export const NOON = Date.UTC(2026, 0, 5, 12);

export const NO_TRADING_COSTS: TradingCosts = { spread_percent: 0, commission_percent: 0 };

/** One candle; null for a missing one. */
export type Bar = readonly [open: number, high: number, low: number, close: number] | null;

/** Consecutive candles with these prices, from `from`. */
export function bars(
  prices: readonly Bar[],
  { timeframe = "1h", from = NOON }: { timeframe?: Timeframe; from?: number } = {},
): Candle[] {
  return prices.flatMap((bar, index) => {
    if (!bar) return [];
    const [open, high, low, close] = bar;
    const time = from + index * TIMEFRAME_MS[timeframe];
    return [{ time, open, high, low, close, volume: 1 }];
  });
}

/** Candles mirrored about 100. */
export const mirrored = (candles: readonly Candle[]): Candle[] =>
  candles.map(({ open, high, low, close, ...rest }) => ({
    ...rest,
    open: 200 - open,
    high: 200 - low,
    low: 200 - high,
    close: 200 - close,
  }));

/** A SELL with the levels of a BUY mirrored about 100, or the reverse. */
export const mirroredTrade = (trade: Trade): Trade => ({
  ...trade,
  side: trade.side === "BUY" ? "SELL" : "BUY",
  entry: 200 - trade.entry,
  stopLoss: 200 - trade.stopLoss,
  takeProfit: 200 - trade.takeProfit,
  price: 200 - trade.price,
});

/** A BUY at 100 with stop 95 and target 110, made at noon and valid for four hours. */
export const buyTrade = (overrides: Partial<Trade> = {}): Trade => ({
  symbol: "MADE/USDT",
  timeframe: "1h",
  side: "BUY",
  entry: 100,
  stopLoss: 95,
  takeProfit: 110,
  price: 100,
  createdAt: NOON,
  validUntil: NOON + 4 * HOUR_MS,
  holdCandles: 6,
  ...overrides,
});
