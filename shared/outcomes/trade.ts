import type { Candle, Timeframe } from "@shared/contract/candle.ts";

/** What a BUY or a SELL says, as far as its judgement goes. Prices are in the quote currency, times in Unix ms. */
export interface Trade {
  symbol: string;
  timeframe: Timeframe;
  side: "BUY" | "SELL";
  entry: number;
  stopLoss: number;
  takeProfit: number;
  /** The market's last close when the signal was made. */
  price: number;
  createdAt: number;
  /** Until when the entry may be taken. */
  validUntil: number;
  /** Candles of the signal's timeframe, the one of the fill included. */
  holdCandles: number;
}

/** Candles of a shorter timeframe that make up one longer candle, oldest first. */
export interface CandleParts {
  timeframe: Timeframe;
  candles: Candle[];
}

/** The finest candles that make up `candle`, or null where they cannot be had. */
export type FinerCandles = (candle: Candle, timeframe: Timeframe) => Promise<CandleParts | null>;

/** How the entry waits for its price; said of a BUY, a SELL is its mirror image. */
export type EntryOrder = "market" | "limit" | "stop";

/**
 * A trade as if it were a BUY: for a SELL every price is negated, so that one set of rules judges both sides, and both
 * alike.
 */
export interface NormalTrade extends Omit<Trade, "side"> {
  order: EntryOrder;
}

/** The prices of a candle, of one side or the other. */
export type Prices = Pick<Candle, "open" | "high" | "low" | "close">;

/** `candle` as a trade of `side` sees it: unchanged for a BUY, upside down for a SELL. */
export function seenFrom(side: Trade["side"], { open, high, low, close }: Candle): Prices {
  if (side === "BUY") return { open, high, low, close };
  return { open: -open, high: -low, low: -high, close: -close };
}
