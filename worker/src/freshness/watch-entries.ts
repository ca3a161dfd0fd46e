import type { Candle } from "@shared/contract/candle.ts";
import type { Database } from "@shared/node/database.ts";
import { withDeadline } from "@shared/node/deadline.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { CandleSeries, MarketData } from "../providers/market-data.ts";
import { findEntryLeft } from "./entry-zone.ts";
import { tellEntryLeft } from "./tell-entry-left.ts";
import { fetchWatchedCandles, type WatchedMarket, watchedCloseOf } from "./watched-candles.ts";
import { tradePlanOf, type WatchedSignal } from "./watched-signal.ts";

const MARKET_TIMEOUT_MS = 10_000;
/** A round ends before the next one is due; what it did not get to comes first then, as it expires sooner. */
const ROUND_MS = 45_000;

export interface WatchEntriesDeps {
  database: Database;
  logger: Logger;
  marketData: MarketData;
  now: () => Date;
  /** Ends the round. */
  abort: AbortSignal;
}

/** What a round came to: signals whose entry is gone, and markets whose candles could not be had. */
export interface WatchedRound {
  left: number;
  failedMarkets: string[];
}

/**
 * Looks whether the price has left the entry zone of any signal that is still valid, on the closed candles since it was
 * made, and tells its trader. Each market is asked for once; one that fails leaves the others alone.
 */
export function watchEntries(deps: WatchEntriesDeps): Promise<WatchedRound> {
  return withDeadline({ abort: deps.abort, timeoutMs: ROUND_MS }, (round) =>
    watchUntil(deps, round),
  );
}

async function watchUntil(deps: WatchEntriesDeps, round: AbortSignal): Promise<WatchedRound> {
  const markets = new Map<string, CandleSeries | null>();
  let left = 0;
  for await (const signal of validSignals(deps)) {
    if (round.aborted) break;
    const key = `${signal.symbol} ${signal.timeframe}`;
    const series = markets.get(key) ?? (markets.has(key) ? null : await read(deps, signal, round));
    markets.set(key, series);
    if (series && (await judge(deps, signal, series))) left += 1;
  }
  const failedMarkets = [...markets].flatMap(([key, series]) => (series ? [] : [key]));
  return { left, failedMarkets };
}

/** Signals whose entry may still be taken and is not known to be gone; those that expire soonest come first. */
function validSignals({ database, now }: WatchEntriesDeps): AsyncIterable<WatchedSignal> {
  return database.signals
    .find({
      "analysis.valid_until": { $gt: now().toISOString() },
      status: "completed",
      entryLeft: { $exists: false },
      outcome: { $exists: false },
    })
    .sort({ "analysis.valid_until": 1 })
    .select({ receipt: 0, "analysis.raw_ai": 0 })
    .lean<WatchedSignal>()
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

/** Whether the entry was found to be gone, and that was news. A live signal is not judged by recorded candles. */
async function judge(
  { database, logger }: WatchEntriesDeps,
  signal: WatchedSignal,
  series: CandleSeries,
): Promise<boolean> {
  const plan = tradePlanOf(signal);
  const { data, last_candle_at: lastCandleAt } = signal.analysis.source;
  if (!plan || lastCandleAt === null || series.data !== data) return false;
  const since = Date.parse(lastCandleAt);
  const left = findEntryLeft(plan, candlesSince(series.candles, since));
  if (!left) return false;
  const at = new Date(watchedCloseOf(left.candle, signal.timeframe));
  try {
    return await tellEntryLeft(database, signal, { price: left.price, at });
  } catch (error) {
    logger.warn({ err: error, signalId: signal._id }, "could not tell that an entry is gone yet");
    return false;
  }
}

const candlesSince = (candles: readonly Candle[], since: number): Candle[] =>
  candles.filter(({ time }) => time >= since);
