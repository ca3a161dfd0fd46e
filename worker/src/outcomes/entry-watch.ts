import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { announceEntryLeft } from "@shared/domain/trade-progress.ts";
import { raceAbort, withDeadline } from "../deadline.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import {
  type CheckedAnalysis,
  findMissedEntry,
  marketOf,
  storeMissedEntry,
} from "./check-entry.ts";
import { updateTradeSignals } from "./commit-outcome.ts";
import { type PricesUntil, readPricesSince } from "./prices-since.ts";

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
  return withDeadline(deps.abort, ROUND_MS, (round) => watchUntil(deps, round));
}

async function watchUntil(deps: WatchEntriesDeps, round: AbortSignal): Promise<EntryWatchResult> {
  const markets = new Map<string, PricesUntil[] | null>();
  let left = 0;
  for await (const analysis of validAnalyses(deps)) {
    if (round.aborted) break;
    if (analysis.entryLeft) {
      left += await commitEntryMissed(deps, analysis, analysis.entryLeft);
      continue;
    }
    const { symbol, timeframe, result } = analysis;
    const key = `${symbol} ${timeframe} ${result.analysis.source.provider}`;
    // The first of a timeframe is the oldest.
    const prices =
      markets.get(key) ?? (markets.has(key) ? null : await read(deps, analysis, round));
    markets.set(key, prices);
    const entryLeft = prices && findMissedEntry(analysis, prices);
    if (entryLeft) left += await commitEntryMissed(deps, analysis, entryLeft);
  }
  const failedMarkets = [...markets].flatMap(([key, prices]) => (prices ? [] : [key]));
  return { left, failedMarkets };
}

function validAnalyses({ database, now }: WatchEntriesDeps): AsyncIterable<CheckedAnalysis> {
  return database.marketAnalyses
    .find({ "result.analysis.valid_until": { $gt: now().toISOString() }, status: "completed" })
    .sort({ "result.analysis.valid_until": 1 })
    .select({ provenance: 0, "result.analysis.raw_ai": 0 })
    .lean<CheckedAnalysis>()
    .cursor();
}

/** Null if its provider does not answer: another one has other prices. */
async function read(
  { marketData, logger, now }: WatchEntriesDeps,
  analysis: CheckedAnalysis,
  round: AbortSignal,
): Promise<PricesUntil[] | null> {
  const market = marketOf(analysis);
  if (!market) return null;
  try {
    return await withDeadline(round, MARKET_TIMEOUT_MS, (abort) => {
      const request = { ...market, now: now().getTime(), abort };
      return raceAbort(readPricesSince(marketData, request), abort);
    });
  } catch (error) {
    const { symbol, provider } = market;
    logger.debug({ err: error, symbol, provider }, "could not watch a market");
    return null;
  }
}

async function commitEntryMissed(
  { database, logger }: WatchEntriesDeps,
  analysis: CheckedAnalysis,
  entryLeft: NonNullable<MarketAnalysisRecord["entryLeft"]>,
): Promise<number> {
  try {
    await storeMissedEntry({ database }, analysis, entryLeft);
    // In every round, as a new signal may have been made from the analysis.
    return await updateTradeSignals(database, analysis._id, {
      filter: { entryLeft: { $exists: false }, outcome: { $exists: false } },
      set: { entryLeft },
      announce: (uow, signals) => announceEntryLeft(uow, signals, entryLeft),
    });
  } catch (error) {
    logger.warn({ err: error, analysisId: analysis._id }, "could not publish a missed entry yet");
    return 0;
  }
}
