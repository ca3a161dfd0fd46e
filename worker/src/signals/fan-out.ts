import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { hasAccess } from "@shared/domain/access.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import type { JoinableAnalysis } from "@shared/domain/queue-analysis.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import { asFinished } from "@shared/domain/reuse-analysis.ts";
import { type FinishedAnalysis, sizeAnalysis } from "@shared/domain/sizing.ts";
import { announceProgress, progressOf } from "@shared/domain/trade-progress.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import {
  doubling,
  oneByOne,
  WorkerStoppingError,
  type WorkHandler,
} from "@shared/work/work-handler.ts";
import { type NewWork, workId } from "@shared/work/work-item.ts";
import { Mutex } from "async-mutex";
import type { Types } from "mongoose";
import { z } from "zod";
import { checkEntry } from "../outcomes/check-entry.ts";
import type { WorkerDeps } from "../worker-deps.ts";

type FanOutDeps = Pick<WorkerDeps, "database" | "metrics" | "now">;

/** Users in one transaction, which blocks their other changes. */
export const MAX_USERS = 150;

/** So that a query of a batch is one command: the first reply has only 101 documents otherwise. */
const ONE_REPLY = MAX_USERS + 1;

/** Between two transactions, so that requests of users find the database free. */
const PAUSE_MS = 15;

/** Writes for many users run one at a time in a worker: two at once would delay requests. */
const turns = new WeakMap<Database, Mutex>();

/** Of those that wait for their turn. New signals go first. */
const PRIORITY = { fanOut: 1, other: 0 } as const;

function takeTurn<Result>(
  database: Database,
  priority: number,
  write: () => Promise<Result>,
): Promise<Result> {
  const turn = turns.get(database) ?? new Mutex();
  turns.set(database, turn);
  return turn.runExclusive(write, priority);
}

/** Those of workers that are stopping. */
const stopping = new WeakSet<Database>();

/** Ends what is written in batches over this connection after the batch that runs; other workers continue. */
export function stopBatches(database: Database): void {
  stopping.add(database);
}

export const batchesStop = (database: Database): boolean => stopping.has(database);

/**
 * Writes for some of many users when no fan-out of this worker is left, and pauses.
 * @throws WorkerStoppingError
 */
export function writeAfterFanOuts<Result>(
  database: Database,
  write: () => Promise<Result>,
): Promise<Result> {
  return takeTurn(database, PRIORITY.other, async () => {
    if (batchesStop(database)) throw new WorkerStoppingError();
    const result = await write();
    await delay(PAUSE_MS);
    return result;
  });
}

/** The kind of the work items that make the signals of watchers. */
const FAN_OUT = "fan-out";

/** The work of making the signals of all watchers of a trade. */
export const fanOutWork = (analysisId: Types.ObjectId, dueAt: Date): NewWork => ({
  kind: FAN_OUT,
  id: workId(FAN_OUT, analysisId.toString()),
  data: { analysisId: analysisId.toString() },
  dueAt,
});

const dataSchema = z.object({ analysisId: z.string() });

/** They take turns, batch by batch. */
const MAX_FAN_OUTS = 20;

type ServeDeps = FanOutDeps & Pick<WorkerDeps, "logger" | "marketData">;

export const serveWatchers = (deps: ServeDeps): WorkHandler =>
  oneByOne(deps, {
    kind: FAN_OUT,
    concurrency: MAX_FAN_OUTS,
    retryDelayMs: doubling({ first: 5_000, max: 30_000 }),
    run: ({ data }, abort) => serveWatchersOf(deps, dataSchema.parse(data).analysisId, abort),
  });

/** After this time, the entry of a trade may be missed. */
const FRESH_MS = 5_000;

/**
 * Makes the signals of the watchers of a trade who have none yet. Of one that was finished a while ago, the entry is checked
 * before.
 * @throws Error if the entry cannot be checked; WorkerStoppingError
 */
export async function serveWatchersOf(
  deps: ServeDeps,
  analysisId: string,
  abort: AbortSignal,
): Promise<void> {
  const { database } = deps;
  const found = await database.marketAnalyses.findById(analysisId).select({ provenance: 0 }).lean();
  const trade = found && asFinished(found);
  if (!trade?.fanOut) return;
  const isLate = database.now().getTime() - trade.finishedAt.getTime() > FRESH_MS;
  if (isLate && !(await checkEntry(deps, trade, abort))) {
    throw new Error("The entry could not be checked.");
  }
  await fanOut(deps, trade._id);
  if (batchesStop(database)) throw new WorkerStoppingError();
}

/**
 * Makes the signals of all watchers of a trade. Each transaction stores how far it came, so that another worker can continue
 * after a crash or a stop. Several workers at once do not make them twice.
 */
export async function fanOut(deps: FanOutDeps, analysisId: Types.ObjectId): Promise<void> {
  let rest: Promise<void> | undefined;
  await takeTurn(deps.database, PRIORITY.fanOut, async () => {
    const hasMore = !batchesStop(deps.database) && (await fanOutOnce(deps, analysisId));
    if (!hasMore) return;
    await delay(PAUSE_MS);
    // Waits already when this turn ends, so that nothing else goes first.
    rest = fanOut(deps, analysisId);
  });
  await rest;
}

/** @returns whether watchers are left */
async function fanOutOnce(
  { database, metrics, now }: FanOutDeps,
  analysisId: Types.ObjectId,
): Promise<boolean> {
  const batch = await commit(database, { lockKeys: `analysis:${analysisId}`, now }, (uow) =>
    fanOutBatch(database, uow, analysisId),
  );
  if (!batch) return false;
  metrics.watchlistSignals(batch.signals);
  if (!batch.hasMore) metrics.fannedOut((now().getTime() - batch.finishedAt.getTime()) / 1_000);
  return batch.hasMore;
}

const NO_FAN_OUT = { $unset: { fanOut: 1 } } as const;

interface Batch {
  signals: number;
  hasMore: boolean;
  finishedAt: Date;
}

type Trade = JoinableAnalysis & FinishedAnalysis;

/** @returns null if all watchers have their signals */
async function fanOutBatch(
  database: Database,
  uow: UnitOfWork,
  _id: Types.ObjectId,
): Promise<Batch | null> {
  const { session } = uow;
  const { marketAnalyses } = database;
  const found = await marketAnalyses
    .findById(_id)
    .select({ provenance: 0 })
    .session(session)
    .lean();
  const trade = found && asFinished(found);
  if (!trade?.fanOut) return null;
  const items = await nextItems(database, uow, trade);
  const last = items.at(-1);
  const hasMore = items.length === MAX_USERS && last !== undefined;
  // Conflicts with a fan-out of another worker, and with a change of the outcome.
  const change = hasMore ? { $set: { fanOut: { after: last._id } } } : NO_FAN_OUT;
  await marketAnalyses.updateOne({ _id }, change, { session });
  const entitled = await entitledTo(database, uow, trade, items);
  addSignals(database, uow, trade, entitled);
  return { signals: entitled.length, hasMore, finishedAt: trade.finishedAt };
}

const nextItems = (
  database: Database,
  { session }: UnitOfWork,
  { symbol, timeframe, fanOut: served, result }: Trade,
): Promise<WatchlistItemRecord[]> =>
  database.watchlistItems
    .find({
      timeframe,
      symbol,
      enabled: true,
      minConfidence: { $lte: result.analysis.confidence },
      ...(served?.after && { _id: { $gt: served.after } }),
    })
    .sort({ _id: 1 })
    .limit(MAX_USERS)
    .batchSize(ONE_REPLY)
    .session(session)
    .lean()
    .exec();

/** Items of users who are approved and have no signal of the analysis. */
async function entitledTo(
  database: Database,
  { session, at }: UnitOfWork,
  trade: Trade,
  items: readonly WatchlistItemRecord[],
): Promise<WatchlistItemRecord[]> {
  const userIds = { $in: items.map(({ userId }) => userId) };
  const users = await database.users
    .find({ _id: userIds })
    .select({ approved: 1, subscription: 1 })
    .batchSize(ONE_REPLY)
    .session(session)
    .lean();
  const served = await database.signals
    .find({ analysisId: trade._id, userId: userIds })
    .select({ userId: 1 })
    .batchSize(ONE_REPLY)
    .session(session)
    .lean();
  const approved = new Set(
    users.filter((user) => hasAccess(user, at)).map(({ _id }) => String(_id)),
  );
  for (const { userId } of served) approved.delete(String(userId));
  return items.filter(({ userId }) => approved.has(String(userId)));
}

function addSignals(
  database: Database,
  uow: UnitOfWork,
  trade: Trade,
  items: readonly WatchlistItemRecord[],
): void {
  const signals = items.map((item) => newSignal(trade, item, uow.at));
  for (const signal of signals) uow.deferInsert(database.signals, signal);
  uow.addEvents(
    "signal:completed",
    signals.map((signal) => ({ stream: userStream(signal.userId), data: presentSignal(signal) })),
  );
  announceProgress(uow, signals, trade);
}

function newSignal(trade: Trade, item: WatchlistItemRecord, at: Date): SignalRecord {
  const { userId, symbol, timeframe, amount, riskPercent, leverage } = item;
  return {
    _id: newSignalId(),
    userId,
    analysisId: trade._id,
    origin: "watchlist",
    symbol,
    timeframe,
    limit: trade.limit,
    amount,
    riskPercent,
    leverage,
    status: "completed",
    revision: trade.revision,
    createdAt: at,
    updatedAt: at,
    startedAt: at,
    finishedAt: at,
    analysis: sizeAnalysis(trade, item),
    // After a long interruption, the trade may be over.
    ...progressOf(trade),
  };
}
