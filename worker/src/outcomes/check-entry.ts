import type { Candle } from "@shared/contract/market-data.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { needsEntryCheck } from "@shared/domain/reuse-analysis.ts";
import type { FinishedAnalysis } from "@shared/domain/sizing.ts";
import { entryZone } from "@shared/outcomes/entry-zone.ts";
import { raceAbort, withDeadline } from "../deadline.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { type PricesRequest, type PricesUntil, readPricesSince } from "./prices-since.ts";

const CHECK_TIMEOUT_MS = 8_000;

type CheckDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now">;

export type CheckedAnalysis = FinishedAnalysis & Omit<MarketAnalysisRecord, "provenance">;

/**
 * Checks the entry of an analysis that is to be used again, by the newest price and the minutes since it, of its own
 * provider. Stores a missed entry, which is then published by the watch of entries.
 * @returns false if the prices could not be read
 * @throws the reason of `abort`, and if a missed entry could not be stored
 */
export async function checkEntry(
  deps: CheckDeps,
  analysis: CheckedAnalysis,
  abort: AbortSignal,
): Promise<boolean> {
  if (!needsEntryCheck(analysis)) return true;
  const prices = await readPrices(deps, analysis, abort);
  if (!prices) return false;
  const entryLeft = findMissedEntry(analysis, prices);
  if (entryLeft) await storeMissedEntry(deps, analysis, entryLeft);
  return true;
}

async function readPrices(
  { marketData, logger, now }: CheckDeps,
  analysis: CheckedAnalysis,
  abort: AbortSignal,
): Promise<PricesUntil[] | null> {
  const market = marketOf(analysis);
  if (!market) return null;
  try {
    return await withDeadline(abort, CHECK_TIMEOUT_MS, (inTime) => {
      const request = { ...market, now: now().getTime(), abort: inTime };
      return raceAbort(readPricesSince(marketData, request), inTime);
    });
  } catch (error) {
    abort.throwIfAborted();
    logger.warn({ err: error, analysisId: analysis._id }, "an entry could not be checked");
    return null;
  }
}

/** Where to look for the prices since an analysis; null if it is not of a known candle. */
export function marketOf({
  symbol,
  result,
}: Pick<CheckedAnalysis, "symbol" | "result">): Pick<
  PricesRequest,
  "symbol" | "provider" | "data" | "since"
> | null {
  const { provider, data, last_candle_at: lastCandleAt } = result.analysis.source;
  if (data === "none" || lastCandleAt === null) return null;
  return { symbol, provider, data, since: Date.parse(lastCandleAt) };
}

type EntryLeft = NonNullable<MarketAnalysisRecord["entryLeft"]>;

/** @param prices may begin before the analysis */
export function findMissedEntry(
  analysis: Pick<CheckedAnalysis, "symbol" | "timeframe" | "result">,
  prices: readonly PricesUntil[],
): EntryLeft | null {
  const plan = tradePlanOf(analysis);
  const since = marketOf(analysis)?.since;
  if (!plan || since === undefined) return null;
  const left = findEntryLeft(
    plan,
    prices.filter(({ candle }) => candle.time >= since),
  );
  return left && { price: left.price, at: new Date(left.until) };
}

/** The first that is found stays. */
export async function storeMissedEntry(
  { database }: Pick<WorkerDeps, "database">,
  { _id }: Pick<CheckedAnalysis, "_id">,
  entryLeft: EntryLeft,
): Promise<void> {
  await database.marketAnalyses.updateOne(
    { _id, entryLeft: { $exists: false } },
    { $set: { entryLeft } },
  );
}

function tradePlanOf({ result }: Pick<CheckedAnalysis, "result">): TradePlan | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit, source } = result.analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  return { entry, stopLoss, takeProfit, signalPrice: source.price ?? entry };
}

export interface TradePlan {
  entry: number;
  stopLoss: number;
  takeProfit: number;
  signalPrice: number;
}

/** The first candle that ends outside the zone or touches stop or target; null while the entry is valid. */
export function findEntryLeft(
  plan: TradePlan,
  prices: readonly PricesUntil[],
): { until: number; price: number } | null {
  const zone = entryZone(plan);
  for (const { candle, until } of prices) {
    const price = leavingPrice(plan, zone, candle);
    if (price !== null) return { until, price };
  }
  return null;
}

function leavingPrice(
  plan: TradePlan,
  zone: ReturnType<typeof entryZone>,
  candle: Candle,
): number | null {
  const { low, high, close } = candle;
  if (close < zone.low || close > zone.high) return close;
  // The stop first: if both were touched within one candle, the worse counts.
  const levels = [plan.stopLoss, plan.takeProfit];
  return levels.find((level) => low <= level && level <= high) ?? null;
}
