import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";

/** What candles are asked for; `limit` counts closed candles, and `abort` ends the fetch at once. */
export interface CandleRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  abort: AbortSignal;
}

/** Closed candles, oldest first, never the open one. `notes` are warnings for the reader (`Demo data: …`). */
export interface CandleSeries {
  candles: Candle[];
  provider: string;
  data: MarketDataSource;
  notes: string[];
}

/** Port of every source of candles. Rejects with `ProviderError`. */
export interface MarketData {
  candles(request: CandleRequest): Promise<CandleSeries>;
}
