import type { SignalRequest } from "@shared/contract/signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { MarketAnalysisRecord } from "../database/models/market-analysis.ts";
import type { SignalRecord } from "../database/models/signal.ts";
import { presentSignal, presentSignalRef } from "./present-signal.ts";
import {
  addJob,
  type JoinableAnalysis,
  type JoinedAnalysis,
  prioritizeJob,
  storeOwnAnalysis,
} from "./queue-analysis.ts";
import { asFinished, needsEntryCheck, reusedAnalysis } from "./reuse-analysis.ts";
import type { FinishedAnalysis } from "./sizing.ts";

/** A new id for a signal or an analysis. Ids grow with time. */
export const newSignalId = (): Types.ObjectId => new Types.ObjectId();

interface NewSignal {
  /** Given by the caller, so that a retried transaction creates the same signal. */
  id: Types.ObjectId;
  userId: Types.ObjectId;
  request: SignalRequest;
  chartImageId?: Types.ObjectId;
  requestId?: string | undefined;
  /** Throws if the user has too many other unfinished signals. */
  assertUserLimit?: (unfinishedSignals: number) => void;
}

/**
 * Adds a signal with its events, in the caller's transaction. It is finished at once if its analysis is, unless a worker
 * has to check the entry first.
 * @param input.joined of `joiningAnalyses`; without it the signal gets an analysis of its own
 */
export async function queueSignal(
  database: Database,
  uow: UnitOfWork,
  input: NewSignal & { joined?: JoinedAnalysis },
): Promise<SignalRecord> {
  const { analysis, isNew } = input.joined ?? (await storeOwnAnalysis(database, uow, input));
  if (isNew) addJob(database, uow, analysis, input.userId);
  const finished = asFinished(analysis);
  const isChecking = needsEntryCheck(analysis);
  if (finished && !isChecking) {
    return addFinishedSignal(database, uow, { ...input, analysis: finished });
  }
  if (!isNew && !finished && !analysis.userId) await prioritizeJob(database, uow, analysis);
  const isRunning = analysis.status === "running" || isChecking;
  const signal: SignalRecord = {
    ...newSignal(uow, input, analysis),
    ...(isRunning && { status: "running", startedAt: uow.at }),
  };
  const stream = userStream(input.userId);
  uow.deferCountedInsert(database.signals, stream, ({ unfinishedSignals }) => {
    input.assertUserLimit?.(unfinishedSignals);
    return signal;
  });
  uow.count(stream, "unfinishedSignals", 1);
  uow.addEvent(stream, "signal:queued", presentSignalRef(signal));
  if (isRunning) uow.addEvent(stream, "signal:started", presentSignalRef(signal));
  return signal;
}

function addFinishedSignal(
  database: Database,
  uow: UnitOfWork,
  input: NewSignal & { analysis: JoinableAnalysis & FinishedAnalysis },
): SignalRecord {
  const { analysis, userId } = input;
  const queued = newSignal(uow, input, analysis);
  const signal = {
    ...queued,
    ...({ startedAt: uow.at, finishedAt: uow.at, status: "completed" } as const),
    analysis: reusedAnalysis(analysis, queued, { isChecked: false, at: uow.at }),
  };
  uow.deferInsert(database.signals, signal);
  const stream = userStream(userId);
  uow.addEvent(stream, "signal:queued", presentSignalRef(signal));
  uow.addEvent(stream, "signal:started", presentSignalRef(signal));
  uow.addEvent(stream, "signal:completed", presentSignal(signal));
  return signal;
}

function newSignal(
  { at }: UnitOfWork,
  { id, userId, request, chartImageId, requestId }: NewSignal,
  analysis: Pick<MarketAnalysisRecord, "_id" | "revision">,
): SignalRecord {
  return {
    _id: id,
    userId,
    analysisId: analysis._id,
    origin: "request",
    symbol: request.symbol,
    timeframe: request.timeframe,
    limit: request.limit,
    amount: request.amount,
    riskPercent: request.risk_percent,
    leverage: request.leverage,
    ...(chartImageId && { chartImageId }),
    ...(requestId && { requestId }),
    status: "queued",
    revision: analysis.revision,
    createdAt: at,
    updatedAt: at,
  };
}
