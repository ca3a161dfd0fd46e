import type { SignalRequest } from "@shared/contract/signal.ts";
import { BatchedWrite, type NonEmpty } from "@shared/outbox/batched-write.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { type ClientSession, Types } from "mongoose";
import type { Database } from "../database.ts";
import { GENERATE_SIGNAL_JOB, type JobRecord } from "../models/job.ts";
import type { MarketAnalysisRecord } from "../models/market-analysis.ts";
import { UNFINISHED } from "../models/signal.ts";
import { nativeCollection } from "../native-collection.ts";
import { lastCandleClose } from "./analysis-key.ts";

/**
 * How much later than it was requested an analysis is queued, in seconds, for each unfinished signal of the same user.
 * More than a full queue takes to empty, so that another user's first signal goes before all but the first of many.
 */
const DELAY_PER_UNFINISHED_S = 60;

/** Fields of an analysis that are not read where its signals are made. */
export const WITHOUT_RECEIPT = { receipt: 0 } as const;

export type AnalysisWithoutReceipt = Omit<MarketAnalysisRecord, "receipt">;

/** Who asks for an analysis, and for what. */
interface AnalysisRequest {
  userId: Types.ObjectId;
  request: SignalRequest;
  chartImageId?: Types.ObjectId;
  requestId?: string | undefined;
}

/** An analysis that a signal refers to, and whether it has been stored for that signal. */
export interface JoinedAnalysis {
  analysis: AnalysisWithoutReceipt;
  isNew: boolean;
}

/** What a request shares with others, see `analysisKey`. */
export interface SharedKey {
  key: string;
  candleClosedAt: Date;
}

type Join = Pick<AnalysisRequest, "userId" | "request" | "requestId"> & {
  database: Database;
  shared: SharedKey;
  at: Date;
};

/** Joins the analyses that requests share, once for all units of work of a transaction; stores those that are not there. */
export const joiningAnalyses = new BatchedWrite<Join, JoinedAnalysis>(joinAll);

/**
 * Every signal that joins an unfinished analysis changes it, so that the transaction conflicts with that of a run that
 * finishes it: no signal is left behind.
 */
async function joinAll(
  session: ClientSession,
  joins: NonEmpty<Join>,
): Promise<readonly JoinedAnalysis[]> {
  const [{ database }] = joins;
  const analyses = nativeCollection(database.marketAnalyses);
  const options = { session, projection: WITHOUT_RECEIPT };
  const found = new Map<string, AnalysisWithoutReceipt>();
  const stored = new Map<string, Join>();
  for (const join of joins) {
    const { key } = join.shared;
    if (found.has(key)) continue;
    const joinedSignals = joins.filter(({ shared }) => shared.key === key).length;
    const known =
      (await analyses.findOneAndUpdate(
        { key, ...UNFINISHED },
        { $inc: { joinedSignals } },
        { ...options, returnDocument: "after" },
      )) ?? (await analyses.findOne({ key }, options));
    const analysis = known ?? newAnalysis(join, { at: join.at, joinedSignals });
    found.set(key, analysis);
    if (known) continue;
    await analyses.insertOne(analysis, { session });
    stored.set(key, join);
  }
  return joins.map((join) => {
    const { key } = join.shared;
    const analysis = found.get(key);
    if (!analysis) throw new Error("An analysis was not joined.");
    return { analysis, isNew: stored.get(key) === join };
  });
}

/** Stores the analysis of one signal, which no other can join. */
export async function storeOwnAnalysis(
  database: Database,
  { session, at }: UnitOfWork,
  input: AnalysisRequest,
): Promise<JoinedAnalysis> {
  const analysis = newAnalysis(input, { at, joinedSignals: 1 });
  await nativeCollection(database.marketAnalyses).insertOne(analysis, { session });
  return { analysis, isNew: true };
}

function newAnalysis(
  input: AnalysisRequest & { shared?: SharedKey },
  { at, joinedSignals }: { at: Date; joinedSignals: number },
): MarketAnalysisRecord {
  const { userId, request, shared, chartImageId, requestId } = input;
  const { symbol, timeframe, limit } = request;
  return {
    _id: new Types.ObjectId(),
    ...(shared && { key: shared.key }),
    ...{ symbol, timeframe, limit, userId },
    candleClosedAt: shared?.candleClosedAt ?? lastCandleClose(timeframe, at),
    ...(chartImageId && { chartImageId }),
    ...(requestId && { requestId }),
    ...{ status: "queued", revision: 0, joinedSignals },
    ...{ createdAt: at, updatedAt: at },
  };
}

/** Adds the job of a new analysis. */
export function addJob(
  database: Database,
  uow: UnitOfWork,
  { analysis, userId }: { analysis: AnalysisWithoutReceipt; userId: Types.ObjectId },
): void {
  uow.deferInsertAt(database.jobs.collection, userId, ({ unfinishedSignals }) =>
    newAnalysisJob({ ...analysis, userId }, { at: uow.at, unfinishedSignals }),
  );
}

/** The job of an analysis, as Agenda would store it. */
export function newAnalysisJob(
  {
    _id,
    userId,
    requestId,
  }: Pick<MarketAnalysisRecord, "_id" | "requestId"> & { userId: Types.ObjectId },
  { at, unfinishedSignals }: { at: Date; unfinishedSignals: number },
): JobRecord {
  return {
    _id,
    name: GENERATE_SIGNAL_JOB,
    type: "normal",
    data: { analysisId: String(_id), userId: String(userId), ...(requestId && { requestId }) },
    priority: jobPriority({ at, unfinishedSignals }),
    nextRunAt: at,
    ...{ lockedAt: null, lastModifiedBy: null, disabled: null },
    ...{ lastRunAt: null, lastFinishedAt: null, progress: null },
    ...{ failedAt: null, failCount: null, failReason: null },
    ...{ repeatInterval: null, repeatAt: null, repeatTimezone: null },
  };
}

/**
 * The order in which workers take analyses: first come, first served, but that of a user's second signal is queued as if
 * it had come a minute later, the third two minutes later, and so on. So one user's many signals do not delay another's
 * one, and the last of many still gets its turn.
 * @param options.unfinishedSignals of the same user
 */
function jobPriority(options: { at: Date; unfinishedSignals: number }): number {
  return -(options.at.getTime() / 1_000 + options.unfinishedSignals * DELAY_PER_UNFINISHED_S);
}
