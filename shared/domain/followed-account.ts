import { MINUTE_MS } from "@shared/contract/constants.ts";
import type { FollowDelay, Followed, FollowedQuery } from "@shared/contract/followed.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readManyCandles } from "@shared/database/stored-candles.ts";
import { type FollowedSignal, followSignals } from "@shared/stats/followed.ts";
import { LRUCache } from "lru-cache";
import { type QueryFilter, Types } from "mongoose";

const MAX_SIGNALS = 10_000;
/** Documents that are decoded in one go; the server does other work before the next ones. */
const BATCH = 500;

const DELAYS_MS: Readonly<Record<Exclude<FollowDelay, "0" | "delivered">, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
};

type Owner = Pick<UserRecord, "_id">;

/** The user's signals as an account that had followed them. */
export async function readFollowed(
  database: Database,
  user: Owner,
  query: FollowedQuery,
): Promise<Followed> {
  const found = await findTrades(database, user, query);
  const [resolutions, arrivals] = await Promise.all([
    readResolutions(database, found),
    query.delay === "delivered" ? readArrivals(database, user) : new Map<number, number>(),
  ]);
  const signals = found.flatMap((signal) => {
    const from = earliestEntry(signal, query.delay, arrivals);
    return followedSignal(signal, { from, ended: resolutions.get(String(signal.analysisId)) });
  });
  await addLaterPrices(database, signals);
  const account = { startBalance: query.start_balance, riskPercent: query.risk_percent };
  return { ...followSignals(signals, account), truncated: found.length === MAX_SIGNALS };
}

type FoundSignal = Pick<
  SignalRecord,
  "_id" | "analysisId" | "symbol" | "timeframe" | "analysis" | "createdAt" | "finishedAt"
>;

/** The newest ones, oldest first. */
async function findTrades(
  { signals }: Database,
  { _id }: Owner,
  query: FollowedQuery,
): Promise<FoundSignal[]> {
  const { origin, symbol, timeframe, min_confidence: least, since, until } = query;
  const filter: QueryFilter<SignalRecord> = {
    userId: _id,
    status: "completed",
    "analysis.final_signal": { $in: ["BUY", "SELL"] },
    ...(origin && { origin }),
    ...(symbol && { symbol }),
    ...(timeframe && { timeframe }),
    ...(least !== undefined && { "analysis.confidence": { $gte: least } }),
    ...((since || until) && {
      createdAt: {
        ...(since && { $gte: new Date(since) }),
        ...(until && { $lt: new Date(until) }),
      },
    }),
  };
  const newest = await signals
    .find(filter)
    .sort({ createdAt: -1, _id: -1 })
    .limit(MAX_SIGNALS)
    .batchSize(BATCH)
    .select({
      ...{ analysisId: 1, symbol: 1, timeframe: 1, createdAt: 1, finishedAt: 1 },
      ...{ "analysis.final_signal": 1, "analysis.entry": 1, "analysis.stop_loss": 1 },
      ...{ "analysis.take_profit": 1, "analysis.valid_until": 1 },
      ...{ "analysis.source.price": 1, "analysis.source.data": 1 },
    })
    .lean();
  return newest.toReversed();
}

interface Ended {
  resolution: NonNullable<FollowedSignal["resolution"]>;
  funding: FollowedSignal["funding"];
}

/** A resolution never changes, and neither does the funding rate that was known. About 20 MB. */
const resolutions = new LRUCache<string, Ended>({ max: 50_000 });

/** By the analysis. */
async function readResolutions(
  { marketAnalyses }: Database,
  found: readonly FoundSignal[],
): Promise<Map<string, Ended>> {
  const ended = new Map<string, Ended>();
  const missing = new Map<string, Types.ObjectId>();
  for (const { analysisId } of found) {
    const id = String(analysisId);
    const known = resolutions.get(id);
    if (known) ended.set(id, known);
    else missing.set(id, analysisId);
  }
  if (missing.size === 0) return ended;
  const analyses = await marketAnalyses
    .find({ _id: { $in: [...missing.values()] } })
    .batchSize(BATCH)
    .select({
      ...{ "resolution.fill": 1, "resolution.filled_at": 1, "resolution.costs": 1 },
      ...{ "resolution.exit": 1, "resolution.exited_at": 1, "resolution.r_multiple": 1 },
      funding: 1,
    })
    .lean();
  for (const { _id, resolution, funding = null } of analyses) {
    if (!resolution) continue;
    const found = { resolution, funding };
    resolutions.set(String(_id), found);
    ended.set(String(_id), found);
  }
  return ended;
}

/**
 * When the first message about a signal arrived at a channel of the user, by the time at which the signal was finished.
 * Deliveries are kept for 30 days.
 */
async function readArrivals(
  { deliveries }: Database,
  { _id }: Owner,
): Promise<Map<number, number>> {
  const delivered = await deliveries
    .find({ userId: _id, type: "signal.completed", status: "delivered" })
    .batchSize(BATCH)
    .select({ eventAt: 1, createdAt: 1, deliveredAt: 1 })
    .lean();
  const arrivals = new Map<number, number>();
  for (const { eventAt, createdAt, deliveredAt = createdAt } of delivered) {
    const at = eventAt.getTime();
    arrivals.set(at, Math.min(arrivals.get(at) ?? Number.POSITIVE_INFINITY, deliveredAt.getTime()));
  }
  return arrivals;
}

/** A signal without a message counts from when the app showed it. */
function earliestEntry(
  { createdAt, finishedAt = createdAt }: FoundSignal,
  delay: FollowDelay,
  arrivals: ReadonlyMap<number, number>,
): number | null {
  if (delay === "0") return null;
  const shownAt = finishedAt.getTime();
  return delay === "delivered" ? (arrivals.get(shownAt) ?? shownAt) : shownAt + DELAYS_MS[delay];
}

function followedSignal(
  { _id, analysisId, symbol, timeframe, analysis }: FoundSignal,
  { from, ended }: Pick<FollowedSignal, "from"> & { ended: Ended | undefined },
): FollowedSignal[] {
  const { final_signal: side, entry, stop_loss, take_profit, valid_until, source } = analysis ?? {};
  if (side !== "BUY" && side !== "SELL") return [];
  if (entry == null || stop_loss == null || take_profit == null) return [];
  return [
    {
      signalId: String(_id),
      analysisId: String(analysisId),
      symbol,
      timeframe,
      side,
      entry,
      stopLoss: stop_loss,
      takeProfit: take_profit,
      signalPrice: source?.price ?? entry,
      validUntil: valid_until ? Date.parse(valid_until) : Number.POSITIVE_INFINITY,
      isDemo: source?.data === "replay",
      funding: ended?.funding ?? null,
      resolution: ended?.resolution ?? null,
      from,
      later: null,
    },
  ];
}

/** Opening times, Unix ms, and opens of candles, oldest first. */
interface Opens {
  times: Float64Array;
  prices: Float64Array;
}

/** Candles of an outcome never change. About 16 MB: those of 10,000 trades of 100 candles each. */
const opens = new LRUCache<string, Opens>({
  maxSize: 1_000_000,
  sizeCalculation: ({ times }) => times.length + 1,
});

/** The opens of the first stored candles from then on, where the ledger's entry was earlier. */
async function addLaterPrices(
  database: Database,
  signals: readonly FollowedSignal[],
): Promise<void> {
  const late = signals.filter(isLate);
  const known = await readOpens(database, late);
  for (const signal of late) {
    const { from } = signal;
    const found = known.get(signal.analysisId);
    if (found && from !== null) signal.later = firstOpenFrom(found, from);
  }
}

function firstOpenFrom({ times, prices }: Opens, from: number): FollowedSignal["later"] {
  const index = times.findIndex((time) => time >= from);
  const [at, price] = [times[index], prices[index]];
  return at === undefined || price === undefined ? null : { price, at };
}

function isLate({ from, resolution, validUntil }: FollowedSignal): boolean {
  if (from === null || !resolution?.filled_at || !resolution.exited_at) return false;
  const lastMs = Math.min(Date.parse(resolution.exited_at), validUntil);
  return Date.parse(resolution.filled_at) < from && from <= lastMs;
}

async function readOpens(
  { outcomeCandles }: Database,
  signals: readonly FollowedSignal[],
): Promise<Map<string, Opens>> {
  const found = new Map<string, Opens>();
  const missing: Types.ObjectId[] = [];
  for (const { analysisId } of signals) {
    const known = opens.get(analysisId);
    if (known) found.set(analysisId, known);
    else missing.push(new Types.ObjectId(analysisId));
  }
  for await (const [id, candles] of readManyCandles(outcomeCandles, missing)) {
    const read = {
      times: Float64Array.from(candles, ({ time }) => time),
      prices: Float64Array.from(candles, ({ open }) => open),
    };
    opens.set(id, read);
    found.set(id, read);
  }
  return found;
}
