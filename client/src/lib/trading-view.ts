import type { Timeframe } from "@shared/contract/candle.ts";
import { findInstrument } from "@shared/contract/instruments.ts";

/** TradingView's names of the candle lengths. */
const INTERVALS: Record<Timeframe, string> = {
  "1m": "1",
  "5m": "5",
  "15m": "15",
  "30m": "30",
  "1h": "60",
  "4h": "240",
  "1d": "D",
};

export const tradingViewInterval = (timeframe: Timeframe): string => INTERVALS[timeframe];

/** TradingView's name of a symbol; a pair that the product does not know itself is looked for on the largest exchange. */
export function tradingViewSymbol(symbol: string): string {
  return findInstrument(symbol)?.tradingView ?? `BINANCE:${symbol.replace(/[^A-Z0-9]/g, "")}`;
}
