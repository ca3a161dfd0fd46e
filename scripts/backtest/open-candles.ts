import { createLogger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
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
import { CliError, type Command, resolveTyped } from "../lib/cli.ts";
import type { BacktestArgs } from "./run-backtest-command.ts";

interface Source {
  series: CandleSeries;
  market: MarketData;
  /** Has candles of shorter timeframes. */
  finerMarket: MarketData;
}

export type BacktestCandles = Omit<Source, "series"> & { course: BacktestRange };

export async function openCandles(
  args: BacktestArgs,
  settings: WorkerSettings,
  command: Pick<Command, "say" | "signal">,
): Promise<BacktestCandles> {
  const fromProvider = args.from === "provider";
  const source = fromProvider ? await fetchLive(args, settings, command) : openRecorded(args);
  const { symbol, timeframe, bars, "warm-up": warmUp } = args;
  const course = selectRange({ symbol, timeframe, series: source.series, bars, warmUp });
  if (course) return { ...source, course };
  throw new CliError(
    `There are ${source.series.candles.length} candles of ${symbol} at ${timeframe}: too few for ${warmUp} to warm up and any to decide on. ` +
      "Try a smaller --warm-up (at least 30).",
  );
}

function openRecorded({ symbol, timeframe, csv }: BacktestArgs): Source {
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

async function fetchLive(
  { symbol, timeframe, bars, "warm-up": warmUp }: BacktestArgs,
  settings: WorkerSettings,
  { say, signal }: Pick<Command, "say" | "signal">,
): Promise<Source> {
  const logger = createLogger({ service: "backtest", level: "silent" });
  const live = { ...settings, MARKET_DATA: "live" as const };
  const { marketData } = await createMarketData({ settings: live, now: Date.now, logger });
  const series: CandleSeries = await fetchHistory({
    market: marketData,
    symbol,
    timeframe,
    count: bars + warmUp,
    abort: signal,
    onCandles: (fetched) => say(`Fetched ${fetched} candles.`),
  });
  const market = recordedMarket((asked, at) =>
    asked === symbol && at === timeframe ? series : undefined,
  );
  return { series, market, finerMarket: marketData };
}
