import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { type BacktestRange, selectRange } from "../../worker/src/backtest/range.ts";
import {
  fetchHistory,
  libraryWith,
  readCandleFile,
  recordedLibrary,
  recordedMarket,
  recordedSymbols,
  recordedTimeframes,
} from "../../worker/src/backtest/recorded-market.ts";
import type { CandleSeries, MarketData } from "../../worker/src/market-data/market-data.ts";
import { createMarketData } from "../../worker/src/market-data/select-market-data.ts";
import { CliError, resolveTyped } from "../lib/cli.mjs";
import type { BacktestArgs } from "./parse-args.ts";

/** What a backtest walks through, and where it asks for what. */
export interface Candles {
  course: BacktestRange;
  market: MarketData;
  finerMarket: MarketData;
}

interface Source {
  orders: BacktestArgs;
  settings: Settings;
  logger: Logger;
  abort: AbortSignal;
  onCandles?: (fetched: number) => void;
}

/**
 * The candles that the orders ask for.
 * @throws CliError where there are none, or too few; CandleFileError, ProviderError
 */
export async function openCandles(source: Source): Promise<Candles> {
  const { orders } = source;
  const found = orders.from === "provider" ? await fetchLive(source) : openRecorded(orders);
  const { symbol, timeframe, bars, "warm-up": warmUp } = orders;
  const course = selectRange({ symbol, timeframe, series: found.series, bars, warmUp });
  if (course) return { ...found, course };
  throw new CliError(
    `There are ${found.series.candles.length} candles of ${symbol} at ${timeframe}: too few for ${warmUp} to warm up and any to decide on. ` +
      "A smaller --warm-up (30 at least) may do.",
  );
}

type Found = Omit<Candles, "course"> & { series: CandleSeries };

function openRecorded({ symbol, timeframe, csv }: BacktestArgs): Found {
  const recordings = recordedLibrary();
  const series = csv ? readCandleFile(resolveTyped(csv), timeframe) : recordings(symbol, timeframe);
  if (!series) throw new CliError(notRecorded(symbol, timeframe));
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
