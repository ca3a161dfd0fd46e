import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { FinerCandles } from "@shared/outcomes/trade.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import type { MarketData } from "../providers/market-data.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { Course } from "./course.ts";
import type { Judge } from "./walk-market.ts";

/**
 * The product's own judge of signals, over recorded candles. `finerMarket` is asked for the finer candles of one whose
 * own figures do not tell what came first; where it has none, the worse counts.
 */
export function createJudge(options: {
  course: Course;
  finerMarket: MarketData;
  costs: TradingCosts;
  abort: AbortSignal;
}): Judge {
  const { course, costs } = options;
  const { candles } = course.series;
  const now = (candles.at(-1)?.time ?? 0) + TIMEFRAME_MS[course.timeframe];
  const finer = finerCandles(options);
  return (trade, bar) =>
    resolveTrade({ trade, candles: candles.slice(bar + 1), finer, now, costs });
}

function finerCandles(options: {
  course: Course;
  finerMarket: MarketData;
  abort: AbortSignal;
}): FinerCandles {
  const { course, finerMarket, abort } = options;
  const { symbol, timeframe, series } = course;
  const archive = new CandleArchive({ live: finerMarket, replay: finerMarket });
  const market = { data: series.data, provider: series.provider, symbol, timeframe };
  return async (candle, of) => {
    // All of it is long past: nothing is on its way any more.
    const order = { candle, timeframe: of, now: Number.POSITIVE_INFINITY, abort };
    return archive.parts(market, order).catch((error: unknown) => {
      abort.throwIfAborted();
      // A provider that fails now has no finer candles for us: the worse counts, as where there are none.
      if (error instanceof ProviderError) return null;
      throw error;
    });
  };
}
