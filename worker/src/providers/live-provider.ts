import type { MarketData } from "./market-data.ts";

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
