import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";

/** What candles are asked for; `limit` counts closed candles, and `abort` ends the fetch at once. */
export interface CandleRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  abort: AbortSignal;
  /** Unix ms, in the past: the series ends with the last candle that was closed by then, instead of by now. */
  until?: number;
  /** Name of the provider to ask first. */
  prefer?: string;
  /** The candles have to add up to those of this longer timeframe; live ones do in any case. */
  within?: Timeframe;
}

/** When a provider's market of a symbol trades, and how late it may publish, in milliseconds. */
export interface SeriesMarket {
  hours: TradingHours;
  delayMs: number;
}

/**
 * Closed candles, oldest first, never the open one. `notes` are warnings for the reader (`Demo data: …`).
 * Without `market` it never closes and is published at once. Candles of closed hours are not there.
 */
export interface CandleSeries {
  candles: Candle[];
  provider: string;
  data: MarketDataSource;
  notes: string[];
  market?: SeriesMarket;
}

/** Port of every source of candles. Rejects with `ProviderError`. */
export interface MarketData {
  candles(request: CandleRequest): Promise<CandleSeries>;
}

/** A source of live candles that can be asked what it has, and whether it is there at all. */
export interface LiveProvider extends MarketData {
  readonly name: string;
  /** Whether the provider deals in this kind of symbol; it may still not list it. */
  covers(symbol: string): boolean;
  /** Symbols that it lists now. Rejects with `ProviderError`. */
  symbols(abort: AbortSignal): Promise<string[]>;
  /** Whether it answers at all before `abort`, be it with an error. Never rejects. */
  isReachable(abort: AbortSignal): Promise<boolean>;
}
