import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { validUntil } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { FinishedAnalysis } from "@shared/domain/sizing.ts";
import { announceEntryLeft } from "@shared/domain/trade-progress.ts";
import { raceAbort, withDeadline } from "../market-data/deadline.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { updateTradeSignals } from "./commit-outcome.ts";

const MARKET_TIMEOUT_MS = 10_000;
/** Ends before the next round is due. What is left expires soonest and comes first then. */
const ROUND_MS = 45_000;

type WatchEntriesDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now"> & {
  abort: AbortSignal;
};

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
    .select({ provenance: 0, "result.analysis.raw_ai": 0 })
    .lean<WatchedAnalysis>()
    .cursor();
}

async function read(
  { marketData, logger }: WatchEntriesDeps,
  { symbol, timeframe }: WatchedAnalysis,
  round: AbortSignal,
): Promise<CandleSeries | null> {
  const watchedOn = watchedTimeframe(timeframe);
  const validMs = validUntil({ timeframe, lastCandleAt: 0 });
  const limit = Math.ceil(validMs / TIMEFRAME_MS[watchedOn]) + 1;
  try {
    return await withDeadline({ abort: round, timeoutMs: MARKET_TIMEOUT_MS }, (abort) =>
      raceAbort(marketData.candles({ symbol, timeframe: watchedOn, limit, abort }), abort),
    );
  } catch (error) {
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
  const left = findEntryLeft(
    plan,
    series.candles.filter(({ time }) => time >= since),
  );
  if (!left) return null;
  const lengthMs = TIMEFRAME_MS[watchedTimeframe(analysis.timeframe)];
  return { price: left.price, at: new Date(left.candle.time + lengthMs) };
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
    // In every round, as a new signal may have been made from the analysis.
    return await updateTradeSignals(database, _id, {
      filter: { entryLeft: { $exists: false }, outcome: { $exists: false } },
      set: { entryLeft },
      announce: (uow, signals) => announceEntryLeft(uow, signals, entryLeft),
    });
  } catch (error) {
    logger.warn({ err: error, analysisId: _id }, "could not publish a missed entry yet");
    return 0;
  }
}

type WatchedAnalysis = FinishedAnalysis & Pick<MarketAnalysisRecord, "timeframe" | "entryLeft">;

function tradePlanOf({ result }: WatchedAnalysis): TradePlan | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit, source } = result.analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return { entry, stopLoss, takeProfit, signalPrice: source.price ?? entry };
}

/** An entry is watched on candles of which a candle of the signal has at most this many. */
const MAX_WATCHED_PARTS = 24;

function watchedTimeframe(timeframe: Timeframe): Timeframe {
  const isFineEnough = (finer: Timeframe) =>
    TIMEFRAME_MS[timeframe] / TIMEFRAME_MS[finer] <= MAX_WATCHED_PARTS;
  return TIMEFRAMES.find(isFineEnough) ?? timeframe;
}

/**
 * In multiples of the risk. Half a risk further, a 2:1 trade pays 1:1, the minimum; half a risk back, half of it is
 * already lost.
 */
const REACH = 0.5;

export interface TradePlan {
  entry: number;
  stopLoss: number;
  takeProfit: number;
  signalPrice: number;
}

interface PriceRange {
  low: number;
  high: number;
}

/** Prices at which the entry is still worth taking. Includes the way from the signal price to an entry away from it. */
export function entryZone({ entry, stopLoss, signalPrice }: TradePlan): PriceRange {
  const reach = REACH * Math.abs(entry - stopLoss);
  return {
    low: Math.min(entry, signalPrice) - reach,
    high: Math.max(entry, signalPrice) + reach,
  };
}

/** The first candle that closes outside the zone or touches stop or target; null while the entry is valid. */
export function findEntryLeft(
  plan: TradePlan,
  candles: readonly Candle[],
): { candle: Candle; price: number } | null {
  const zone = entryZone(plan);
  for (const candle of candles) {
    const price = leavingPrice(plan, zone, candle);
    if (price !== null) return { candle, price };
  }
  return null;
}

function leavingPrice(plan: TradePlan, zone: PriceRange, candle: Candle): number | null {
  const { low, high, close } = candle;
  if (close < zone.low || close > zone.high) return close;
  // The stop first: if both were touched within one candle, the worse counts.
  const levels = [plan.stopLoss, plan.takeProfit];
  return levels.find((level) => low <= level && level <= high) ?? null;
}
