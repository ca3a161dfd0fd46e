import type { Candle } from "@shared/contract/candle.ts";
import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { BatchedWrite, type NonEmpty } from "@shared/outbox/batched-write.ts";
import { commitBatched, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { ClientSession, Types } from "mongoose";
import { changeCredits } from "../credits.ts";
import type { Database } from "../database.ts";
import { type SignalRecord, UNFINISHED } from "../models/signal.ts";
import type { SignalUsageRecord } from "../models/signal-usage.ts";
import { nativeCollection } from "../native-collection.ts";
import { presentSignal, presentSignalRef } from "./present-signal.ts";

/** The signal as its run has started it. */
export type SignalRun = Omit<SignalRecord, "receipt">;

/**
 * Starts a run of each signal: `queued → running`, or `running → running` when the run before lost its worker. The new
 * revision is the run's fencing token: a run of an older revision can no longer finish the signal.
 * @returns the started signals; those that are finished or deleted are left out
 */
export async function startRuns(
  database: Database,
  { session, at, addEvent }: UnitOfWork,
  ids: readonly Types.ObjectId[],
): Promise<SignalRecord[]> {
  const started: SignalRecord[] = [];
  for (const _id of ids) {
    const signal = await nativeCollection(database.signals).findOneAndUpdate(
      { _id, ...UNFINISHED },
      { $set: { status: "running", startedAt: at, updatedAt: at }, $inc: { revision: 1 } },
      { session, returnDocument: "after" },
    );
    if (!signal) continue;
    started.push(signal);
    const to = { stream: userStream(signal.userId), requestId: signal.requestId };
    addEvent(to, "signal:started", presentSignalRef(signal));
  }
  return started;
}

/** How a run ended. */
export interface SignalResult {
  status: "completed" | "failed";
  analysis: Analysis;
  receipt?: unknown;
  candles?: Candle[];
  /** Tokens and cost, where an analyst was asked. */
  usage?: Omit<SignalUsageRecord, "_id" | "at"> | undefined;
}

/**
 * Finishes a run: `running → completed | failed`, with its result and its event, and deletes its job. If it failed, or no
 * analyst was asked, the credit for its chart image is refunded.
 * @returns false if another run has taken the signal over, or it was deleted; nothing is changed then
 */
export async function finishRun(
  database: Database,
  run: SignalRun,
  result: SignalResult,
): Promise<boolean> {
  const stream = userStream(run.userId);
  const needsRefund = !isAnalysed(result) && run.chartImageId !== undefined;
  return commitBatched(
    database,
    {
      lockKeys: needsRefund ? [stream, ADMINS_STREAM] : stream,
      groupCommit: !needsRefund,
      requestId: run.requestId,
      batch: { write: finishing, input: (at) => ({ database, run, ending: endingOf(result, at) }) },
    },
    async (uow, signal) => {
      if (!signal) return false;
      const { candles, usage } = result;
      const { _id, userId } = run;
      if (candles) uow.deferInsert(database.signalCandles.collection, { _id, candles });
      if (usage) uow.deferInsert(database.signalUsages.collection, { _id, at: uow.at, ...usage });
      uow.countUnfinishedSignals(userId, -1);
      const event = result.status === "completed" ? "signal:completed" : "signal:failed";
      uow.addEvent(stream, event, presentSignal(signal));
      if (needsRefund) await refundCredit(database, uow, signal);
      return true;
    },
  );
}

const isAnalysed = ({ status, analysis }: SignalResult): boolean =>
  status === "completed" && analysis.source.analyst !== "none";

/** What a run writes into its signal. */
type Ending = Pick<SignalRecord, "status" | "analysis" | "receipt" | "judgeAt"> & {
  finishedAt: Date;
  updatedAt: Date;
};

function endingOf({ status, analysis, receipt }: SignalResult, at: Date): Ending {
  const isTrade = status === "completed" && analysis.final_signal !== "WAIT";
  return {
    ...{ status, analysis, receipt, finishedAt: at, updatedAt: at },
    ...(isTrade && { judgeAt: at }),
  };
}

interface Finish {
  database: Database;
  run: SignalRun;
  ending: Ending;
}

const finishing = new BatchedWrite<Finish, SignalRecord | null>(finishAll);

/**
 * Writes the endings of runs that hold their signals, and deletes their jobs.
 * @throws Error if one of several runs has lost its signal; each is then finished alone
 */
async function finishAll(
  session: ClientSession,
  finishes: NonEmpty<Finish>,
): Promise<(SignalRecord | null)[]> {
  const [{ database }] = finishes;
  const updates = finishes.map(({ run: { _id, revision }, ending }) => ({
    updateOne: { filter: { _id, status: "running", revision } as const, update: { $set: ending } },
  }));
  const options = { session, ignoreUndefined: true, ordered: false };
  const { matchedCount } = await nativeCollection(database.signals).bulkWrite(updates, options);
  if (matchedCount < finishes.length) {
    if (finishes.length > 1) throw new Error("One of several runs has lost its signal.");
    return [null];
  }
  const ids = finishes.map(({ run }) => run._id);
  await nativeCollection(database.jobs).deleteMany({ _id: { $in: ids } }, { session });
  return finishes.map(({ run, ending }) => ({ ...run, ...ending }));
}

async function refundCredit(
  database: Database,
  uow: UnitOfWork,
  { _id, userId, symbol }: SignalRecord,
): Promise<void> {
  await changeCredits(database, uow, {
    userId,
    kind: "refund",
    amount: IMAGE_ANALYSIS_CREDITS,
    by: "system",
    why: `No analysis came of a chart image of ${symbol}.`,
    signalId: _id,
  });
}
