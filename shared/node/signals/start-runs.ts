import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import type { MarketAnalysisRecord } from "../models/market-analysis.ts";
import { UNFINISHED } from "../models/signal.ts";
import { nativeCollection } from "../native-collection.ts";
import { presentSignalRef } from "./present-signal.ts";

/** Signals that one transaction starts or finishes, at most; others follow in transactions of their own. */
export const MAX_SIGNALS = 200;

/** An analysis as its run has started it. */
export type AnalysisRun = Omit<MarketAnalysisRecord, "receipt">;

/**
 * Starts a run of each analysis: `queued → running`, or `running → running` when the run before lost its worker. The new
 * revision is the run's fencing token: a run of an older revision can no longer finish the analysis. The signals of the
 * analyses are started too, as far as they fit.
 * @returns the started analyses, those that are finished or deleted left out; and whether signals are left to start
 */
export async function startRuns(
  database: Database,
  uow: UnitOfWork,
  ids: readonly Types.ObjectId[],
): Promise<{ runs: AnalysisRun[]; hasMore: boolean }> {
  const runs: AnalysisRun[] = [];
  for (const _id of ids) {
    const run = await nativeCollection(database.marketAnalyses).findOneAndUpdate(
      { _id, ...UNFINISHED },
      { $set: { status: "running", startedAt: uow.at, updatedAt: uow.at }, $inc: { revision: 1 } },
      { session: uow.session, returnDocument: "after" },
    );
    if (run) runs.push(run);
  }
  return { runs, hasMore: await startSignals(database, uow, runs) };
}

/** Starts the signals that the transaction of `startRuns` left out. */
export async function startOtherSignals(
  database: Database,
  runs: readonly AnalysisRun[],
): Promise<void> {
  const lockKeys = runs.flatMap(lockKeysOf);
  let hasMore = true;
  while (hasMore) {
    hasMore = await commit(database, { lockKeys }, (uow) => startSignals(database, uow, runs));
  }
}

/** @returns whether some are left */
async function startSignals(
  database: Database,
  { session, at, addEvent }: UnitOfWork,
  runs: readonly AnalysisRun[],
): Promise<boolean> {
  if (runs.length === 0) return false;
  const signals = nativeCollection(database.signals);
  const unstarted = await signals
    .find(
      {
        ...UNFINISHED,
        $or: runs.map(({ _id, revision }) => ({ analysisId: _id, revision: { $lt: revision } })),
      },
      { session },
    )
    .limit(MAX_SIGNALS)
    .toArray();
  for (const { _id: analysisId, revision } of runs) {
    const own = unstarted.filter((signal) => signal.analysisId.equals(analysisId));
    if (own.length === 0) continue;
    await signals.updateMany(
      { _id: { $in: own.map(({ _id }) => _id) } },
      { $set: { status: "running", revision, startedAt: at, updatedAt: at } },
      { session },
    );
  }
  for (const signal of unstarted) {
    const to = { stream: userStream(signal.userId), requestId: signal.requestId };
    addEvent(to, "signal:started", presentSignalRef(signal));
  }
  return unstarted.length === MAX_SIGNALS;
}

/** Units of work of runs for the same user wait for each other instead of conflicting. */
export const lockKeysOf = ({ userId }: Pick<AnalysisRun, "userId">): string[] =>
  userId ? [userStream(userId)] : [];
