import {
  MINUTE_MS,
  SCHEDULED_BUDGET_PERCENT,
  SIGNAL_DEFAULTS,
  TIMEFRAMES,
} from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isWatchable } from "@shared/contract/watchlist.ts";
import { type Database, readTime } from "@shared/database/database.ts";
import type { TelegramChannelRecord } from "@shared/database/models/telegram-channel.ts";
import type { ScheduledAnalysisRecord } from "@shared/database/models/watchlist.ts";
import {
  ANALYSIS_SETUP_ID,
  type AnalysisSetupRecord,
} from "@shared/database/models/worker-reports.ts";
import { accessFilter } from "@shared/domain/access.ts";
import { isBudgetUsedUp, readAiSpending } from "@shared/domain/ai-budget.ts";
import {
  analysisKey,
  isTooLate,
  type JoinedAnalysis,
  joiningAnalyses,
  lastCandleClose,
  newAnalysisJob,
  watchPriority,
} from "@shared/domain/queue-analysis.ts";
import { asFinished } from "@shared/domain/reuse-analysis.ts";
import { postTrade, readTelegramChannel } from "@shared/domain/telegram-channel.ts";
import { isOpenClose, readTradingHours } from "@shared/domain/trading-hours.ts";
import { commit, commitBatched, type UnitOfWork } from "@shared/outbox/commit.ts";
import { doubling, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import { addWork } from "@shared/work/work-item.ts";
import { z } from "zod";
import { fanOutWork } from "../signals/fan-out.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** Analyses that are due within this time are queued together. */
const MIN_PAUSE_MS = 500;

/** The work of planning and queueing the analyses of watched markets, each at its time. */
export const schedulingAnalyses = (deps: Omit<ScheduleDeps, "readTime">): WorkHandler =>
  repeatedly(deps, {
    kind: "schedule-analyses",
    retryDelayMs: doubling({ first: 1_000, max: 5_000 }),
    run: () => runSchedule({ ...deps, readTime: () => readTime(deps.database) }),
  });

export type ScheduleDeps = QueueDeps &
  PlanDeps & {
    /** The clock of the database. */
    readTime: () => Promise<Date>;
  };

type PlanDeps = Pick<WorkerDeps, "database" | "logger" | "metrics"> & {
  /** The shortest that is planned. */
  minTimeframe: Timeframe;
};

/** Plans and queues what is due. @returns when the next run is */
export async function runSchedule(deps: ScheduleDeps): Promise<Date> {
  const at = await deps.readTime();
  await planCloses(deps, at);
  await queueDueAnalyses(deps, at);
  return new Date(Math.max(await nextDueAt(deps, at), at.getTime() + MIN_PAUSE_MS));
}

/** The next planned analysis or the next close of the shortest candle, in Unix milliseconds. */
async function nextDueAt({ database }: ScheduleDeps, at: Date): Promise<number> {
  const next = await database.scheduledAnalyses
    .findOne({ status: "planned" })
    .sort({ dueAt: 1 })
    .lean();
  const nextCloseAt = lastCandleClose("1m", at).getTime() + MINUTE_MS;
  return Math.min(next?.dueAt.getTime() ?? Number.POSITIVE_INFINITY, nextCloseAt);
}

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
    ? withChannelMarkets(
        await findWatchedMarkets(database, close, at),
        await readTelegramChannel(database),
        timeframe,
      )
    : [];
  const isInTime = !isTooLate({ timeframe, candleClosedAt: closedAt }, at);
  const open = isInTime ? await openMarkets(database, markets, close) : [];
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
    from: users.collection.collectionName,
    localField: "userId",
    foreignField: "_id",
    pipeline: [{ $match: accessFilter(at) }, { $project: { _id: 1 } }],
    as: "approved",
  };
  const isApproved = { "approved.0": { $exists: true } };
  // The first approved watcher is enough: looking up each of them takes seconds if there are many.
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
        from: watchlistItems.collection.collectionName,
        localField: "_id",
        foreignField: "symbol",
        pipeline: firstApproved,
        as: "approved",
      },
    },
    { $match: isApproved },
    { $sort: { watchers: -1, _id: 1 } },
    { $project: { _id: 0, symbol: "$_id", watchers: 1 } },
  ]);
  return marketsSchema.parse(found);
}

/** Also the markets of the paid channel, which may have no watcher. They come first: all its members wait for them. */
function withChannelMarkets(
  watched: readonly WatchedMarket[],
  { enabled, markets }: Pick<TelegramChannelRecord, "enabled" | "markets">,
  timeframe: Timeframe,
): WatchedMarket[] {
  const posted = enabled ? markets.filter((market) => market.timeframe === timeframe) : [];
  const symbols = new Set(posted.map(({ symbol }) => symbol));
  const watchersOf = (symbol: string) =>
    watched.find((market) => market.symbol === symbol)?.watchers ?? 0;
  return [
    ...[...symbols].map((symbol) => ({ symbol, watchers: watchersOf(symbol) })),
    ...watched.filter(({ symbol }) => !symbols.has(symbol)),
  ];
}

async function openMarkets(
  database: Database,
  markets: readonly WatchedMarket[],
  { timeframe, closedAt }: Close,
): Promise<WatchedMarket[]> {
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
      symbol,
      timeframe,
      candleClosedAt: closedAt,
      watchers,
      dueAt: new Date(closedAt.getTime() + delayMs),
      status: "planned",
      createdAt,
    };
  });

type QueueDeps = Pick<WorkerDeps, "database" | "logger" | "metrics" | "analyst"> &
  Pick<WorkerDeps, "budgetUsdPerDay" | "now">;

const BATCH_SIZE = 50;

/**
 * Queues planned analyses that are due at this time, in the order in which they are due. Each joins the analysis that a
 * request has started, or becomes a job behind those of requests.
 * @param at by the clock of the database
 */
export async function queueDueAnalyses(deps: QueueDeps, at: Date): Promise<void> {
  const { database, metrics } = deps;
  const due = await database.scheduledAnalyses
    .find({ status: "planned", dueAt: { $lte: at } })
    .sort({ dueAt: 1 })
    .limit(BATCH_SIZE)
    .lean();
  const [first] = due;
  if (!first) return;
  metrics.scheduleLag((at.getTime() - first.dueAt.getTime()) / 1_000);
  const hasBudget = await hasBudgetLeft(deps, at);
  const setup = await database.analysisSetup.findById(ANALYSIS_SETUP_ID).lean();
  await Promise.all(
    due.map((planned) => {
      if (isTooLate(planned, at)) return skip(deps, planned, "late");
      if (!hasBudget) return skip(deps, planned, "budget");
      return queue(deps, planned, setup);
    }),
  );
}

async function hasBudgetLeft(
  { database, budgetUsdPerDay: budgetUsd, analyst }: QueueDeps,
  at: Date,
): Promise<boolean> {
  if (budgetUsd === undefined || analyst.name === "rules") return true;
  const spentUsd = await readAiSpending(database, at);
  return !isBudgetUsedUp({ spentUsd, budgetUsd, percent: SCHEDULED_BUDGET_PERCENT });
}

async function skip(
  { database, logger, metrics }: QueueDeps,
  { _id }: ScheduledAnalysisRecord,
  reason: "late" | "budget",
): Promise<void> {
  const { modifiedCount } = await database.scheduledAnalyses.updateOne(
    { _id, status: "planned" },
    { $set: { status: "skipped" } },
  );
  if (modifiedCount === 0) return;
  metrics.scheduledAnalyses(reason);
  logger.warn({ scheduled: _id, reason }, "scheduled analysis skipped");
}

/** Another worker has queued it. */
class AlreadyQueuedError extends Error {
  override readonly name = "AlreadyQueuedError";
}

async function queue(
  deps: QueueDeps,
  planned: ScheduledAnalysisRecord,
  setup: AnalysisSetupRecord | null,
): Promise<void> {
  const { database, logger, metrics, now } = deps;
  const { _id, candleClosedAt } = planned;
  const request = { ...planned, limit: SIGNAL_DEFAULTS.limit };
  const key = analysisKey(request, setup);
  const batch = {
    write: joiningAnalyses,
    input: (at: Date) => ({ database, request, key, candleClosedAt, at }),
  };
  const options = { lockKeys: `scheduled:${_id}`, groupCommit: true, now, batch };
  try {
    const { isNew } = await commitBatched(database, options, (uow, joined) =>
      queueJoined(deps, uow, planned, joined),
    );
    metrics.scheduledAnalyses(isNew ? "queued" : "shared");
  } catch (error) {
    if (error instanceof AlreadyQueuedError) return;
    logger.warn({ err: error, scheduled: _id }, "scheduled analysis not queued yet");
  }
}

async function queueJoined(
  { database }: QueueDeps,
  uow: UnitOfWork,
  planned: ScheduledAnalysisRecord,
  joined: JoinedAnalysis,
): Promise<JoinedAnalysis> {
  const { session, at } = uow;
  const { analysis, isNew } = joined;
  const { modifiedCount } = await database.scheduledAnalyses.updateOne(
    { _id: planned._id, status: "planned" },
    { $set: { status: "queued", analysisId: analysis._id } },
    { session },
  );
  if (modifiedCount === 0) throw new AlreadyQueuedError();
  const finished = asFinished(analysis);
  if (finished?.result.analysis.final_signal !== "WAIT") {
    await database.marketAnalyses.updateOne(
      { _id: analysis._id },
      { $set: { fanOut: { after: null } } },
      { session },
    );
    if (finished) {
      addWork(database, uow, fanOutWork(analysis._id, at));
      await postTrade(database, uow, analysis);
    }
  }
  const priority = watchPriority(planned.watchers);
  if (isNew) uow.deferInsert(database.jobs, newAnalysisJob(analysis, { at, priority }));
  return joined;
}
