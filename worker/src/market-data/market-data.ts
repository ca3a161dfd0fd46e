import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";

/** `limit` counts closed candles. */
export interface CandleRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  abort: AbortSignal;
  /** Asks for the candle that has not closed yet, too. Never for an analysis. */
  withOpen?: boolean;
  /** Unix milliseconds in the past: the series ends with the last candle closed by then. */
  until?: number;
  prefer?: string;
  /** Replayed candles have to add up to those of this longer timeframe; live ones do anyway. */
  within?: Timeframe;
}

/** `delayMs` is the delay with which the provider publishes. */
export interface SeriesMarket {
  hours: TradingHours;
  delayMs: number;
}

/**
 * Closed candles, oldest first, without those of closed hours. `notes` are warnings for the user (`Demo data: …`).
 * Without `market` it never closes and has no delay.
 */
export interface CandleSeries {
  candles: Candle[];
  /** The candle after those, as it is now, if the request asks for it. */
  open?: Candle | undefined;
  provider: string;
  data: MarketDataSource;
  notes: string[];
  market?: SeriesMarket;
}

/** Port of all sources of candles. Rejects with `ProviderError`. */
export interface MarketData {
  candles(request: CandleRequest): Promise<CandleSeries>;
}

/** A connection to the WebSocket of an exchange. It stays lost once it is. */
export interface PriceConnection {
  watch(symbol: string): void;
  /** Returns false if the exchange goes on sending the price until the connection is closed. */
  unwatch(symbol: string): boolean;
  close(): void;
}

/** Port of prices that an exchange sends by itself. */
export interface PriceStream {
  readonly exchange: string;
  connect(listener: {
    onPrice: (symbol: string, price: number) => void;
    onLost: (error: unknown) => void;
  }): PriceConnection;
}

export interface LiveProvider extends MarketData {
  readonly name: string;
  /** Whether the provider deals in this kind of symbol; it may still not list it. */
  covers(symbol: string): boolean;
  symbols(abort: AbortSignal): Promise<string[]>;
  /** Whether it responds at all, even with an error. Never rejects. */
  isReachable(abort: AbortSignal): Promise<boolean>;
  /** Of the symbols that it lists. */
  readonly prices?: PriceStream | undefined;
}
