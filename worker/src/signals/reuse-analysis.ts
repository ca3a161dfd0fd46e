import { bulkUpdate } from "@shared/database/database.ts";
import { type SignalRecord, UNFINISHED } from "@shared/database/models/signal.ts";
import { asFinished, needsEntryCheck, reusedAnalysis } from "@shared/domain/reuse-analysis.ts";
import { announceProgress, progressOf } from "@shared/domain/trade-progress.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { type CheckedAnalysis, checkEntry } from "../outcomes/check-entry.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { announceFinished, MAX_SIGNALS } from "./signal-lifecycle.ts";

type ReuseDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now">;

/** Signals that share one check. */
const MAX_WAITING = 2_000;

/**
 * Finishes the signals that wait for a finished analysis: those that requested it later, and those that a crashed worker
 * has left. Each gets it by prices that were read after its request. Deletes the job with the last of them.
 */
export async function reuseAnalysis(
  deps: ReuseDeps,
  analysisId: Types.ObjectId,
  abort: AbortSignal,
): Promise<void> {
  const { database } = deps;
  let isDone = false;
  while (!isDone) {
    abort.throwIfAborted();
    const waiting = await database.signals
      .find({ analysisId, ...UNFINISHED })
      .select({ _id: 1 })
      .limit(MAX_WAITING)
      .batchSize(MAX_WAITING)
      .lean();
    const found = await database.marketAnalyses
      .findById(analysisId)
      .select({ provenance: 0 })
      .lean();
    const analysis = found && asFinished(found);
    const isChecked = analysis !== null && (await checkEntry(deps, analysis, abort));
    isDone = await finishWaiting(deps, { analysisId, isChecked, ids: waiting.map(idOf) });
  }
}

const idOf = ({ _id }: { _id: Types.ObjectId }) => _id;

interface Waiting {
  analysisId: Types.ObjectId;
  ids: readonly Types.ObjectId[];
  isChecked: boolean;
}

/** @returns whether no signal waits any more */
async function finishWaiting({ database }: ReuseDeps, waiting: Waiting): Promise<boolean> {
  const { analysisId, ids } = waiting;
  let isDone = false;
  for (let first = 0; first === 0 || first < ids.length; first += MAX_SIGNALS) {
    const batch = { ...waiting, ids: ids.slice(first, first + MAX_SIGNALS) };
    isDone = await commit(database, { lockKeys: `analysis:${analysisId}` }, (uow) =>
      finishBatch(database, uow, batch),
    );
  }
  return isDone;
}

async function finishBatch(
  database: ReuseDeps["database"],
  uow: UnitOfWork,
  { analysisId: _id, ids, isChecked }: Waiting,
): Promise<boolean> {
  const { session } = uow;
  // Conflicts with requests that join it, and with its fill, outcome and missed entry.
  const found = await database.marketAnalyses
    .findOneAndUpdate(
      { _id },
      { $inc: { entryChecks: 1 } },
      { session, projection: { provenance: 0 }, returnDocument: "after" },
    )
    .lean();
  const analysis = found && asFinished(found);
  if (analysis) await finishSignals(database, uow, { analysis, ids, isChecked });
  const isLeft = analysis && (await isAnyWaiting(database, uow, _id));
  if (isLeft) return false;
  await database.jobs.deleteOne({ _id }, { session });
  return true;
}

const isAnyWaiting = (
  { signals }: ReuseDeps["database"],
  { session }: UnitOfWork,
  analysisId: Types.ObjectId,
) => signals.exists({ analysisId, ...UNFINISHED }).session(session);

async function finishSignals(
  database: ReuseDeps["database"],
  uow: UnitOfWork,
  waiting: { analysis: CheckedAnalysis; ids: readonly Types.ObjectId[]; isChecked: boolean },
): Promise<void> {
  const { analysis, ids, isChecked } = waiting;
  const { session, at } = uow;
  const found = await database.signals
    .find({ _id: { $in: [...ids] }, ...UNFINISHED })
    .batchSize(MAX_SIGNALS + 1)
    .session(session)
    .lean();
  if (found.length === 0) return;
  const status = analysis.status === "failed" ? "failed" : "completed";
  const ended = { status, finishedAt: at, updatedAt: at } as const;
  const isTaken = isChecked && needsEntryCheck(analysis);
  const finished = found.map((signal): SignalRecord => {
    const own = reusedAnalysis(analysis, signal, { isChecked });
    return { ...signal, ...ended, analysis: own, ...(isTaken && progressOf(analysis)) };
  });
  await bulkUpdate(
    database.signals,
    finished.map(({ _id, ...signal }) => ({
      replaceOne: { filter: { _id, ...UNFINISHED }, replacement: signal },
    })),
    session,
  );
  announceFinished(uow, finished);
  if (isTaken) announceProgress(uow, finished, analysis);
}
