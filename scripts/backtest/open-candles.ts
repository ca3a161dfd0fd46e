import type { Logger } from "@shared/node/logger.ts";
import type { Settings } from "@shared/node/settings.ts";
import { type Course, layCourse } from "../../worker/src/backtest/course.ts";
import { fetchHistory } from "../../worker/src/backtest/fetch-history.ts";
import {
  libraryWith,
  readCandleFile,
  recordedLibrary,
  recordedSymbols,
  recordedTimeframes,
} from "../../worker/src/backtest/recorded-library.ts";
import { recordedMarket } from "../../worker/src/backtest/recorded-market.ts";
import type { CandleSeries, MarketData } from "../../worker/src/providers/market-data.ts";
import { createMarketData } from "../../worker/src/providers/select-market-data.ts";
import { PlainError } from "../lib/plain-error.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";
import type { BacktestOrders } from "./read-orders.ts";

/** What a backtest walks through, and where it asks for what. */
export interface Candles {
  course: Course;
  market: MarketData;
  finerMarket: MarketData;
}

interface Source {
  orders: BacktestOrders;
  settings: Settings;
  logger: Logger;
  abort: AbortSignal;
  onCandles?: (fetched: number) => void;
}

/**
 * The candles that the orders ask for.
 * @throws PlainError where there are none, or too few; CandleFileError, ProviderError
 */
export async function openCandles(source: Source): Promise<Candles> {
  const { orders } = source;
  const found = orders.from === "provider" ? await fetchLive(source) : openRecorded(orders);
  const { symbol, timeframe, bars, "warm-up": warmUp } = orders;
  const course = layCourse({ symbol, timeframe, series: found.series, bars, warmUp });
  if (course) return { ...found, course };
  throw new PlainError(
    `There are ${found.series.candles.length} candles of ${symbol} at ${timeframe}: too few for ${warmUp} to warm up and any to decide on. ` +
      "A smaller --warm-up (30 at least) may do.",
  );
}

type Found = Omit<Candles, "course"> & { series: CandleSeries };

function openRecorded({ symbol, timeframe, csv }: BacktestOrders): Found {
  const recordings = recordedLibrary();
  const series = csv ? readCandleFile(resolveTyped(csv), timeframe) : recordings(symbol, timeframe);
  if (!series) throw new PlainError(notRecorded(symbol, timeframe));
  const market = recordedMarket(libraryWith({ symbol, timeframe, series }, recordings));
  return { series, market, finerMarket: market };
}

function notRecorded(symbol: string, timeframe: string): string {
  const recordings = recordedLibrary();
  const timeframes = recordedTimeframes(symbol, recordings);
  return timeframes.length > 0
    ? `There are no recorded candles of ${symbol} at ${timeframe}, only at ${timeframes.join(", ")}.`
    : `There are no recorded candles of ${symbol}. Recorded are ${recordedSymbols(recordings).join(", ")}; or use --csv, or --from provider.`;
}

async function fetchLive({ orders, settings, logger, abort, onCandles }: Source): Promise<Found> {
  const { symbol, timeframe, bars, "warm-up": warmUp } = orders;
  const live = { ...settings, MARKET_DATA: "live" as const };
  const { marketData } = createMarketData({ settings: live, now: Date.now, logger });
  const series = await fetchHistory({
    market: marketData,
    symbol,
    timeframe,
    count: bars + warmUp,
    abort,
    ...(onCandles && { onCandles }),
  });
  const own: CandleSeries = series;
  const market = recordedMarket((asked, at) =>
    asked === symbol && at === timeframe ? own : undefined,
  );
  return { series, market, finerMarket: marketData };
}
