import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { BatchedWrite, type NonEmpty } from "@shared/outbox/group-commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { type ClientSession, Types } from "mongoose";
import { z } from "zod";
import { bulkUpdate, type Database } from "../database/database.ts";
import type { JobRecord } from "../database/models/job.ts";
import type { MarketAnalysisRecord } from "../database/models/market-analysis.ts";
import type { AnalysisSetupRecord } from "../database/models/worker-reports.ts";
import { type NewWork, newWorkItem } from "../work/work-item.ts";
import { needsEntryCheck } from "./reuse-analysis.ts";

/** The kind of the work items that make analyses. */
export const GENERATE_SIGNAL_JOB = "generate-signal";

const idSchema = z.string().regex(/^[0-9a-f]{24}$/);

/** Data of such an item: the user who asked first orders the queue, and the id of their request is for the logs. */
export const analysisJobDataSchema = z.object({
  analysisId: idSchema,
  userId: idSchema.optional(),
  requestId: z.string().optional(),
});

/**
 * Each unfinished signal of a user delays their next one by this time, so one user cannot starve the others. It is
 * longer than a full queue takes.
 */
const DELAY_PER_UNFINISHED_S = 60;

export type JoinableAnalysis = Omit<MarketAnalysisRecord, "provenance">;

interface AnalysisRequest {
  /** Absent for watchlists. */
  userId?: Types.ObjectId;
  request: Pick<SignalRequest, "symbol" | "timeframe" | "limit">;
  chartImageId?: Types.ObjectId;
  requestId?: string | undefined;
}

/** The analysis of a signal; `isNew` if it was stored for that signal. */
export interface JoinedAnalysis {
  analysis: JoinableAnalysis;
  isNew: boolean;
}

type Join = Pick<AnalysisRequest, "userId" | "request" | "requestId"> & {
  database: Database;
  key: string;
  candleClosedAt: Date;
  at: Date;
};

/** Joins analyses of the market, for all units of a transaction at once. Stores those that do not exist yet. */
export const joiningAnalyses = new BatchedWrite<Join, JoinedAnalysis>(joinAll);

async function joinAll(
  session: ClientSession,
  joins: NonEmpty<Join>,
): Promise<readonly JoinedAnalysis[]> {
  const [{ database }] = joins;
  const joinsByKey = groupByKey(joins);
  const { marketAnalyses } = database;
  const known = await marketAnalyses
    .find({ key: { $in: [...joinsByKey.keys()] } })
    .select({ provenance: 0 })
    .session(session)
    .lean();
  await joinPending(database, session, known, joinsByKey);
  const found = new Map<string | undefined, JoinableAnalysis>(
    known.map((analysis) => [analysis.key, analysis]),
  );
  const stored = new Map<Join, JoinableAnalysis>();
  for (const [key, [first, ...others]] of joinsByKey) {
    if (found.has(key)) continue;
    const analysis = newAnalysis(first, { at: first.at, joinedSignals: 1 + others.length });
    stored.set(first, analysis);
    found.set(key, analysis);
  }
  if (stored.size > 0) {
    await marketAnalyses.insertMany([...stored.values()], { session, lean: true });
  }
  return joins.map((join) => {
    const analysis = found.get(join.key);
    if (!analysis) throw new Error("An analysis was not joined.");
    return { analysis, isNew: stored.has(join) };
  });
}

function groupByKey(joins: NonEmpty<Join>): Map<string, NonEmpty<Join>> {
  const joinsByKey = new Map<string, NonEmpty<Join>>();
  for (const join of joins) {
    const earlier = joinsByKey.get(join.key);
    joinsByKey.set(join.key, earlier ? [...earlier, join] : [join]);
  }
  return joinsByKey;
}

/**
 * Changes the unfinished analyses that signals join, so that the transaction conflicts with the worker that finishes them at
 * the same time. Those that are finished get an item that checks their entry, if it has to be.
 */
async function joinPending(
  database: Database,
  session: ClientSession,
  known: readonly JoinableAnalysis[],
  joinsByKey: ReadonlyMap<string, NonEmpty<Join>>,
): Promise<void> {
  const updates = known
    .filter(({ finishedAt }) => !finishedAt)
    .map(({ _id, key = "" }) => ({
      updateOne: {
        filter: { _id },
        update: { $inc: { joinedSignals: joinsByKey.get(key)?.length ?? 0 } },
      },
    }));
  if (updates.length > 0) await bulkUpdate(database.marketAnalyses, updates, session);
  const checks = known.filter(needsEntryCheck).flatMap((analysis) => {
    const request = joinsByKey.get(analysis.key ?? "")?.find(({ userId }) => userId);
    return request ? [newWorkItem(entryCheckWork(analysis, request.at))] : [];
  });
  if (checks.length > 0) await database.jobs.insertMany(checks, { session, lean: true });
}

/** The kind of the work items that check the entry of a finished analysis for the signals that wait for it. */
export const CHECK_ENTRY_JOB = "check-entry";

export const entryCheckDataSchema = z.object({ analysisId: idSchema });

/** An item of its own for each transaction: one for all would be changed by all of them. */
const entryCheckWork = ({ _id }: Pick<JoinableAnalysis, "_id">, dueAt: Date): NewWork => ({
  kind: CHECK_ENTRY_JOB,
  id: new Types.ObjectId(),
  data: { analysisId: String(_id) } satisfies z.input<typeof entryCheckDataSchema>,
  dueAt,
});

export async function storeOwnAnalysis(
  database: Database,
  { session, at }: UnitOfWork,
  input: AnalysisRequest,
): Promise<JoinedAnalysis> {
  const analysis = newAnalysis(input, { at, joinedSignals: 1 });
  await database.marketAnalyses.insertMany([analysis], { session, lean: true });
  return { analysis, isNew: true };
}

function newAnalysis(
  input: AnalysisRequest & { key?: string; candleClosedAt?: Date },
  { at, joinedSignals }: { at: Date; joinedSignals: number },
): MarketAnalysisRecord {
  const { userId, request, key, candleClosedAt, chartImageId, requestId } = input;
  const { symbol, timeframe, limit } = request;
  return {
    _id: new Types.ObjectId(),
    ...(key !== undefined && { key }),
    symbol,
    timeframe,
    limit,
    ...(userId && { userId }),
    candleClosedAt: candleClosedAt ?? lastCandleClose(timeframe, at),
    ...(chartImageId && { chartImageId }),
    ...(requestId && { requestId }),
    status: "queued",
    revision: 0,
    joinedSignals,
    createdAt: at,
    updatedAt: at,
  };
}

export function addJob(
  database: Database,
  uow: UnitOfWork,
  analysis: JoinableAnalysis,
  userId: Types.ObjectId,
): void {
  uow.deferCountedInsert(database.jobs, userStream(userId), ({ unfinishedSignals }) =>
    newAnalysisJob({ ...analysis, userId }, { at: uow.at, unfinishedSignals }),
  );
}

/** Moves the waiting job of a scheduled analysis to the requests, as a request has joined it. */
export async function prioritizeJob(
  database: Database,
  { session, at }: UnitOfWork,
  { _id }: Pick<JoinableAnalysis, "_id">,
): Promise<void> {
  await database.jobs.updateOne(
    { _id, lockedAt: null, priority: { $lt: requestPriority(at) } },
    { $set: { priority: requestPriority(at) } },
    { session },
  );
}

/** Priority of the job of a request, which orders jobs by time and by unfinished signals of the user. */
export const requestPriority = (at: Date, unfinishedSignals = 0): number =>
  -(at.getTime() / 1_000 + unfinishedSignals * DELAY_PER_UNFINISHED_S);

/** Below that of every request. */
const LOWEST_PRIORITY = -1e11;

/** Priority of the job of a scheduled analysis: behind all requests, by number of watchers. */
export const watchPriority = (watchers: number): number => LOWEST_PRIORITY + watchers;

/** The job of an analysis, with its id. */
export function newAnalysisJob(
  {
    _id,
    userId,
    requestId,
  }: Pick<MarketAnalysisRecord, "_id" | "requestId"> & { userId?: Types.ObjectId | undefined },
  options: { at: Date; unfinishedSignals?: number; priority?: number },
): JobRecord {
  const { at, unfinishedSignals, priority = requestPriority(at, unfinishedSignals) } = options;
  const data = {
    analysisId: String(_id),
    ...(userId && { userId: String(userId) }),
    ...(requestId && { requestId }),
  };
  return newWorkItem({ kind: GENERATE_SIGNAL_JOB, id: _id, data, dueAt: at, priority });
}

/** Close of the last closed candle. Candles of all timeframes start at multiples of their length, in UTC. */
export function lastCandleClose(timeframe: Timeframe, at: Date): Date {
  const lengthMs = TIMEFRAME_MS[timeframe];
  return new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
}

/** Whether half a candle has passed since the close, so that a scheduled analysis is no longer made. */
export const isTooLate = (
  { timeframe, candleClosedAt }: Pick<MarketAnalysisRecord, "timeframe" | "candleClosedAt">,
  at: Date,
): boolean => at.getTime() - candleClosedAt.getTime() >= TIMEFRAME_MS[timeframe] / 2;

/**
 * Requests with the same key are answered by one analysis.
 * @param setup of the workers; null before the first worker has started
 */
export function analysisKey(
  market: { symbol: string; timeframe: Timeframe; limit: number; candleClosedAt: Date },
  setup: Omit<AnalysisSetupRecord, "_id"> | null,
): string {
  const { symbol, timeframe, limit, candleClosedAt } = market;
  const { data, analyst, model, analystVersion } = setup ?? UNKNOWN_SETUP;
  const closedAt = candleClosedAt.toISOString();
  return [symbol, timeframe, closedAt, limit, data, analyst, model, analystVersion].join("|");
}

const UNKNOWN_SETUP = {
  data: "unknown",
  analyst: "unknown",
  model: "unknown",
  analystVersion: "unknown",
} as const;
