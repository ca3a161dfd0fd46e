import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { validUntil } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { FinishedAnalysis } from "@shared/domain/sizing.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { raceAbort, withDeadline } from "../market-data/deadline.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { findEntryLeft, type TradePlan } from "./entry-zone.ts";
import { updateTradeSignals } from "./update-trade-signals.ts";

const MARKET_TIMEOUT_MS = 10_000;
/** Ends before the next round is due. What is left expires soonest and comes first then. */
const ROUND_MS = 45_000;

interface WatchEntriesDeps {
  database: Database;
  logger: Logger;
  marketData: MarketData;
  now: () => Date;
  abort: AbortSignal;
}

interface EntryWatchResult {
  left: number;
  failedMarkets: string[];
}

/** Publishes missed entries of valid signals. A market that fails does not affect others. */
export function watchEntries(deps: WatchEntriesDeps): Promise<EntryWatchResult> {
  return withDeadline({ abort: deps.abort, timeoutMs: ROUND_MS }, (round) =>
    watchUntil(deps, round),
  );
}

async function watchUntil(deps: WatchEntriesDeps, round: AbortSignal): Promise<EntryWatchResult> {
  const markets = new Map<string, CandleSeries | null>();
  let left = 0;
  for await (const analysis of validAnalyses(deps)) {
    if (round.aborted) break;
    if (analysis.entryLeft) {
      left += await commitEntryMissed(deps, analysis, analysis.entryLeft);
      continue;
    }
    const key = `${analysis.symbol} ${analysis.timeframe}`;
    const series =
      markets.get(key) ?? (markets.has(key) ? null : await read(deps, analysis, round));
    markets.set(key, series);
    const entryLeft = series && findMissedEntry(analysis, series);
    if (entryLeft) left += await commitEntryMissed(deps, analysis, entryLeft);
  }
  const failedMarkets = [...markets].flatMap(([key, series]) => (series ? [] : [key]));
  return { left, failedMarkets };
}

function validAnalyses({ database, now }: WatchEntriesDeps): AsyncIterable<WatchedAnalysis> {
  return database.marketAnalyses
    .find({ "result.analysis.valid_until": { $gt: now().toISOString() }, status: "completed" })
    .sort({ "result.analysis.valid_until": 1 })
    .select({ receipt: 0, "result.analysis.raw_ai": 0 })
    .lean<WatchedAnalysis>()
    .cursor();
}

async function read(
  { marketData, logger }: WatchEntriesDeps,
  market: WatchedMarket,
  round: AbortSignal,
): Promise<CandleSeries | null> {
  try {
    return await withDeadline({ abort: round, timeoutMs: MARKET_TIMEOUT_MS }, (abort) =>
      fetchWatchedCandles(marketData, market, abort),
    );
  } catch (error) {
    const { symbol, timeframe } = market;
    logger.debug({ err: error, symbol, timeframe }, "could not watch a market");
    return null;
  }
}

function findMissedEntry(
  analysis: WatchedAnalysis,
  series: CandleSeries,
): { price: number; at: Date } | null {
  const plan = tradePlanOf(analysis);
  const { data, last_candle_at: lastCandleAt } = analysis.result.analysis.source;
  if (!plan || lastCandleAt === null || series.data !== data) return null;
  const since = Date.parse(lastCandleAt);
  const left = findEntryLeft(plan, candlesSince(series.candles, since));
  if (!left) return null;
  return { price: left.price, at: new Date(watchedCloseOf(left.candle, analysis.timeframe)) };
}

async function commitEntryMissed(
  { database, logger }: WatchEntriesDeps,
  { _id }: WatchedAnalysis,
  entryLeft: { price: number; at: Date },
): Promise<number> {
  try {
    await database.marketAnalyses.updateOne(
      { _id, entryLeft: { $exists: false } },
      { $set: { entryLeft } },
    );
    // In every round: a request may have been answered from the analysis just before.
    return await updateTradeSignals(database, _id, {
      filter: { entryLeft: { $exists: false }, outcome: { $exists: false } },
      set: { entryLeft },
      announce: ({ addEvent }, { stream, signalId }) =>
        addEvent(stream, "signal:entry-left", {
          signal_id: signalId,
          price: entryLeft.price,
          at: entryLeft.at.toISOString(),
        }),
    });
  } catch (error) {
    logger.warn({ err: error, analysisId: _id }, "users could not be told of a missed entry yet");
    return 0;
  }
}

const candlesSince = (candles: readonly Candle[], since: number): Candle[] =>
  candles.filter(({ time }) => time >= since);

type WatchedAnalysis = FinishedAnalysis & Pick<MarketAnalysisRecord, "timeframe" | "entryLeft">;

function tradePlanOf({ result }: WatchedAnalysis): TradePlan | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit, source } = result.analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return { entry, stopLoss, takeProfit, signalPrice: source.price ?? entry };
}

/** Finest timeframe that covers the validity of a signal in one small request. */
const WATCHED_ON: Record<Timeframe, Timeframe> = {
  "1m": "1m",
  "5m": "1m",
  "15m": "1m",
  "30m": "5m",
  "1h": "5m",
  "4h": "15m",
  "1d": "1h",
};

interface WatchedMarket {
  symbol: string;
  timeframe: Timeframe;
}

function fetchWatchedCandles(
  marketData: MarketData,
  { symbol, timeframe }: WatchedMarket,
  abort: AbortSignal,
): Promise<CandleSeries> {
  const watchedOn = WATCHED_ON[timeframe];
  const longestMs = validUntil({ timeframe, lastCandleAt: 0 });
  const limit = Math.ceil(longestMs / TIMEFRAME_MS[watchedOn]) + 1;
  const request = { symbol, timeframe: watchedOn, limit, abort };
  return raceAbort(marketData.candles(request), abort);
}

function watchedCloseOf(candle: Candle, timeframe: Timeframe): number {
  return candle.time + TIMEFRAME_MS[WATCHED_ON[timeframe]];
}
