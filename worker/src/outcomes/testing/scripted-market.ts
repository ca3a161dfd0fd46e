import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { CandleRequest, MarketData } from "../../providers/market-data.ts";
import { ProviderError, type ProviderFailure } from "../../providers/provider-error.ts";

/** A live market whose candles a test writes; it remembers what it was asked. */
export interface ScriptedMarket extends MarketData {
  asked: CandleRequest[];
  /** Symbols that cannot be read at the moment, and why. */
  failing: Map<string, ProviderFailure>;
  now: number;
}

/** A live market with these candles of every symbol, by timeframe; it shows them as time (`now`) goes by. */
export function scriptedMarket(
  candles: Partial<Record<Timeframe, readonly Candle[]>>,
  now: number,
): ScriptedMarket {
  return {
    asked: [],
    failing: new Map(),
    now,
    async candles(request) {
      this.asked.push(request);
      const { symbol, timeframe, limit, until = Number.POSITIVE_INFINITY } = request;
      const failure = this.failing.get(symbol) ?? (candles[timeframe] ? undefined : "nonsense");
      if (failure) {
        throw new ProviderError({ provider: "scripted", failure, message: "as the test wants" });
      }
      const end = Math.min(this.now, until);
      const closed = (candles[timeframe] ?? []).filter(
        ({ time }) => time + TIMEFRAME_MS[timeframe] <= end,
      );
      return { candles: closed.slice(-limit), provider: "scripted", data: "live", notes: [] };
    },
  };
}
