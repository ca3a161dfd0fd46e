import type { SignalRequest } from "@shared/contract/signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import type { Database } from "../database.ts";
import { GENERATE_SIGNAL_JOB, type JobRecord } from "../models/job.ts";
import type { SignalRecord } from "../models/signal.ts";
import { presentSignalRef } from "./present-signal.ts";

/**
 * How much later than it was requested a signal is queued, in seconds, for each unfinished one of the same user. More
 * than a full queue takes to empty, so that another user's first signal goes before all but the first of many.
 */
const DELAY_PER_UNFINISHED_S = 60;

/** A new id for a signal; ids grow with time, so that they order the history. */
export const newSignalId = (): Types.ObjectId => new Types.ObjectId();

/**
 * Adds a signal in the state `queued` with its job and its event, in the caller's transaction: none is there without
 * the others.
 * @param input.id made by the caller, so that a retried transaction does not make a second signal
 * @param input.assertUserLimit gets how many other signals of the user are unfinished; what it throws rejects the unit
 */
export function queueSignal(
  database: Database,
  uow: UnitOfWork,
  input: {
    id: Types.ObjectId;
    userId: Types.ObjectId;
    request: SignalRequest;
    chartImageId?: Types.ObjectId;
    requestId?: string | undefined;
    assertUserLimit?: (unfinishedSignals: number) => void;
  },
): SignalRecord {
  const { id, userId, request, chartImageId, requestId, assertUserLimit } = input;
  const signal: SignalRecord = {
    _id: id,
    userId,
    symbol: request.symbol,
    timeframe: request.timeframe,
    limit: request.limit,
    amount: request.amount,
    riskPercent: request.risk_percent,
    leverage: request.leverage,
    ...(chartImageId && { chartImageId }),
    ...(requestId && { requestId }),
    status: "queued",
    revision: 0,
    createdAt: uow.at,
    updatedAt: uow.at,
  };
  uow.deferInsert(database.signals.collection, signal);
  uow.deferInsertAt(database.jobs.collection, userId, ({ unfinishedSignals }) => {
    assertUserLimit?.(unfinishedSignals);
    return newSignalJob(signal, { at: uow.at, unfinishedSignals });
  });
  uow.countUnfinishedSignals(userId, 1);
  uow.addEvent(userStream(userId), "signal:queued", presentSignalRef(signal));
  return signal;
}

/** The job of a signal, as Agenda would store it. */
export function newSignalJob(
  { _id, userId, requestId }: Pick<SignalRecord, "_id" | "userId" | "requestId">,
  { at, unfinishedSignals }: { at: Date; unfinishedSignals: number },
): JobRecord {
  return {
    _id,
    name: GENERATE_SIGNAL_JOB,
    type: "normal",
    data: { signalId: String(_id), userId: String(userId), ...(requestId && { requestId }) },
    priority: jobPriority({ at, unfinishedSignals }),
    nextRunAt: at,
    ...{ lockedAt: null, lastModifiedBy: null, disabled: null },
    ...{ lastRunAt: null, lastFinishedAt: null, progress: null },
    ...{ failedAt: null, failCount: null, failReason: null },
    ...{ repeatInterval: null, repeatAt: null, repeatTimezone: null },
  };
}

/**
 * The order in which workers take signals: first come, first served, but a user's second signal is queued as if it had
 * come a minute later, the third two minutes later, and so on. So one user's many signals do not delay another's one, and
 * the last of many still gets its turn.
 * @param options.unfinishedSignals of the same user
 */
function jobPriority(options: { at: Date; unfinishedSignals: number }): number {
  return -(options.at.getTime() / 1_000 + options.unfinishedSignals * DELAY_PER_UNFINISHED_S);
}
