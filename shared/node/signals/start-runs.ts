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
  const analyses = nativeCollection(database.marketAnalyses);
  const { session, at } = uow;
  const unfinished = { _id: { $in: [...ids] }, ...UNFINISHED };
  await analyses.updateMany(
    unfinished,
    { $set: { status: "running", startedAt: at, updatedAt: at }, $inc: { revision: 1 } },
    { session },
  );
  const runs = await analyses.find(unfinished, { session }).toArray();
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
  for (const revision of new Set(runs.map((run) => run.revision))) {
    const ofRevision = runs.filter((run) => run.revision === revision);
    const started = unstarted.filter(({ analysisId }) =>
      ofRevision.some(({ _id }) => _id.equals(analysisId)),
    );
    await signals.updateMany(
      { _id: { $in: started.map(({ _id }) => _id) } },
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
