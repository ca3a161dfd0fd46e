import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { isWatchable } from "@shared/contract/watchlist.ts";
import type { Database } from "@shared/database/database.ts";
import type { ScheduledAnalysisRecord } from "@shared/database/models/watchlist.ts";
import { isTooLate, lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { accessFilter } from "@shared/domain/subscription-access.ts";
import { isOpenClose, readTradingHours } from "@shared/domain/trading-hours.ts";
import { commit } from "@shared/outbox/commit.ts";
import { z } from "zod";
import type { WorkerDeps } from "../worker-deps.ts";

export type PlanDeps = Pick<WorkerDeps, "database" | "logger" | "metrics"> & {
  /** The shortest that is planned. */
  minTimeframe: Timeframe;
};

/** By then, exchanges have the candle. */
const FIRST_DUE_MS = 2_000;

const LAST_DUE_MS = 30_000;

interface Close {
  timeframe: Timeframe;
  closedAt: Date;
  /** Up to which close the timeframe was planned before; 1970 at first. */
  plannedUntil: Date;
}

/**
 * Plans the analyses of the newest closed candles of watched markets, once over all workers.
 * @param at by the clock of the database, which all workers share
 */
export async function planCloses(deps: PlanDeps, at: Date): Promise<void> {
  const schedules = await deps.database.watchSchedules.find().lean();
  for (const timeframe of TIMEFRAMES) {
    const schedule = schedules.find(({ _id }) => _id === timeframe);
    const plannedUntil = schedule?.plannedUntil ?? new Date(0);
    const closedAt = lastCandleClose(timeframe, at);
    if (plannedUntil >= closedAt) continue;
    if (!schedule) await startSchedule(deps.database, timeframe);
    await planClose(deps, { timeframe, closedAt, plannedUntil }, at);
  }
}

async function startSchedule({ watchSchedules }: Database, timeframe: Timeframe): Promise<void> {
  const first = { $setOnInsert: { plannedUntil: new Date(0) } };
  await watchSchedules.updateOne({ _id: timeframe }, first, { upsert: true });
}

async function planClose(deps: PlanDeps, close: Close, at: Date): Promise<void> {
  const { database, logger, metrics, minTimeframe } = deps;
  const { timeframe, closedAt, plannedUntil } = close;
  const markets = isWatchable(timeframe, minTimeframe)
    ? await findWatchedMarkets(database, close, at)
    : [];
  const isInTime = !isTooLate({ timeframe, candleClosedAt: closedAt }, at);
  const open = isInTime ? await openMarkets(database, { markets, close }) : [];
  const isPlanned = await commit(
    database,
    { lockKeys: `watch:${timeframe}`, now: () => at },
    async ({ session }) => {
      // Conflicts with the same plan of another worker, which then finds that it is made.
      const { modifiedCount } = await database.watchSchedules.updateOne(
        { _id: timeframe, plannedUntil },
        { $set: { plannedUntil: closedAt } },
        { session },
      );
      if (modifiedCount === 0) return false;
      await database.scheduledAnalyses.insertMany(plan(open, close, at), { session });
      return true;
    },
  );
  const missed = missedCloses(close) + (isInTime ? 0 : 1);
  if (!isPlanned || missed === 0 || markets.length === 0) return;
  metrics.scheduledAnalyses("missed", missed * markets.length);
  const lost = { timeframe, closes: missed, markets: markets.length, since: plannedUntil };
  logger.warn(lost, "closes of watched markets were missed");
}

/** Closes since the last planned one, without the newest. */
function missedCloses({ timeframe, closedAt, plannedUntil }: Close): number {
  if (plannedUntil.getTime() === 0) return 0;
  return (closedAt.getTime() - plannedUntil.getTime()) / TIMEFRAME_MS[timeframe] - 1;
}

interface WatchedMarket {
  symbol: string;
  watchers: number;
}

const marketsSchema = z.array(z.object({ symbol: z.string(), watchers: z.number() }));

/** Markets that at least one approved user watched when the candle closed, those with the most watchers first. */
async function findWatchedMarkets(
  { watchlistItems, users }: Database,
  { timeframe, closedAt }: Close,
  at: Date,
): Promise<WatchedMarket[]> {
  const isWatching = { timeframe, enabled: true, createdAt: { $lte: closedAt } };
  const approved = {
    ...{ from: users.collection.collectionName, localField: "userId", foreignField: "_id" },
    ...{ pipeline: [{ $match: accessFilter(at) }, { $project: { _id: 1 } }], as: "approved" },
  };
  const isApproved = { "approved.0": { $exists: true } };
  // The first approved watcher is enough: to look each of them up takes seconds if there are many.
  const firstApproved = [
    { $match: isWatching },
    { $lookup: approved },
    { $match: isApproved },
    { $limit: 1 },
    { $project: { _id: 1 } },
  ];
  const found = await watchlistItems.aggregate([
    { $match: isWatching },
    { $group: { _id: "$symbol", watchers: { $sum: 1 } } },
    {
      $lookup: {
        ...{ from: watchlistItems.collection.collectionName, localField: "_id" },
        ...{ foreignField: "symbol", pipeline: firstApproved, as: "approved" },
      },
    },
    { $match: isApproved },
    { $sort: { watchers: -1, _id: 1 } },
    { $project: { _id: 0, symbol: "$_id", watchers: 1 } },
  ]);
  return marketsSchema.parse(found);
}

async function openMarkets(
  database: Database,
  { markets, close }: { markets: readonly WatchedMarket[]; close: Close },
): Promise<WatchedMarket[]> {
  const { timeframe, closedAt } = close;
  const hoursOf = await readTradingHours(database);
  const closesAt = closedAt.getTime();
  return markets.filter(({ symbol }) => isOpenClose(hoursOf(symbol), { timeframe, closesAt }));
}

const plan = (
  markets: readonly WatchedMarket[],
  { timeframe, closedAt }: Close,
  createdAt: Date,
): ScheduledAnalysisRecord[] =>
  markets.map(({ symbol, watchers }, rank) => {
    const delayMs = FIRST_DUE_MS + ((LAST_DUE_MS - FIRST_DUE_MS) * rank) / markets.length;
    return {
      _id: `${symbol} ${timeframe} ${closedAt.toISOString()}`,
      ...{ symbol, timeframe, candleClosedAt: closedAt, watchers },
      dueAt: new Date(closedAt.getTime() + delayMs),
      ...{ status: "planned", createdAt },
    };
  });
