import { bulkUpdate } from "@shared/database/database.ts";
import { type SignalRecord, UNFINISHED } from "@shared/database/models/signal.ts";
import { currentEventWarnings } from "@shared/domain/economic-events.ts";
import { CHECK_ENTRY_JOB, entryCheckDataSchema } from "@shared/domain/queue-analysis.ts";
import {
  asFinished,
  entryEndOf,
  needsEntryCheck,
  reusedAnalysis,
} from "@shared/domain/reuse-analysis.ts";
import { announceProgress, progressOf } from "@shared/domain/trade-progress.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { doubling, oneByOne, type WorkHandler } from "@shared/work/work-handler.ts";
import { Types } from "mongoose";
import { type CheckedAnalysis, checkEntry } from "../outcomes/check-entry.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { announceFinished, MAX_SIGNALS } from "./signal-lifecycle.ts";

type ReuseDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now">;

/** At once, each of another analysis. */
const MAX_CHECKS = 20;

/** A request waits for it. */
const retryDelayMs = doubling({ first: 500, max: 5_000 });

/** The work of answering requests for an analysis that is finished, whose entry has to be checked before. */
export const checkEntries = (deps: ReuseDeps): WorkHandler =>
  oneByOne(deps, {
    kind: CHECK_ENTRY_JOB,
    concurrency: MAX_CHECKS,
    retryDelayMs,
    run({ data }, abort) {
      const { analysisId } = entryCheckDataSchema.parse(data);
      return reuseAnalysis(deps, new Types.ObjectId(analysisId), abort);
    },
  });

/** Signals that share one check. */
const MAX_WAITING = 2_000;

/**
 * Finishes the signals that wait for a finished analysis: those that requested it later, and those that a crashed worker
 * has left. Each gets it by prices that were read after its request. Requests at the same time share one check.
 */
export function reuseAnalysis(
  deps: ReuseDeps,
  analysisId: Types.ObjectId,
  abort: AbortSignal,
): Promise<void> {
  const { database } = deps;
  return withKeys(database, [`reuse:${analysisId}`], async () => {
    let waiting: Types.ObjectId[];
    do {
      abort.throwIfAborted();
      waiting = await findWaiting(database, analysisId);
      if (waiting.length > 0) await finishWaiting(deps, { analysisId, ids: waiting }, abort);
    } while (waiting.length === MAX_WAITING);
  });
}

async function findWaiting(
  { signals }: ReuseDeps["database"],
  analysisId: Types.ObjectId,
): Promise<Types.ObjectId[]> {
  const found = await signals
    .find({ analysisId, ...UNFINISHED })
    .select({ _id: 1 })
    .limit(MAX_WAITING)
    .batchSize(MAX_WAITING)
    .lean();
  return found.map(({ _id }) => _id);
}

interface Waiting {
  analysisId: Types.ObjectId;
  ids: readonly Types.ObjectId[];
}

async function finishWaiting(
  deps: ReuseDeps,
  { analysisId, ids }: Waiting,
  abort: AbortSignal,
): Promise<void> {
  const { database } = deps;
  const found = await database.marketAnalyses.findById(analysisId).select({ provenance: 0 }).lean();
  const analysis = found && asFinished(found);
  const isChecked = analysis !== null && (await checkEntry(deps, analysis, abort));
  for (let first = 0; first < ids.length; first += MAX_SIGNALS) {
    const batch = { analysisId, isChecked, ids: ids.slice(first, first + MAX_SIGNALS) };
    await commit(database, { lockKeys: `analysis:${analysisId}` }, (uow) =>
      finishBatch(database, uow, batch),
    );
  }
}

async function finishBatch(
  database: ReuseDeps["database"],
  uow: UnitOfWork,
  { analysisId: _id, ids, isChecked }: Waiting & { isChecked: boolean },
): Promise<void> {
  // Conflicts with its fill, outcome and missed entry.
  const found = await database.marketAnalyses
    .findOneAndUpdate(
      { _id },
      { $inc: { entryChecks: 1 } },
      { session: uow.session, projection: { provenance: 0 }, returnDocument: "after" },
    )
    .lean();
  const analysis = found && asFinished(found);
  if (analysis) await finishSignals(database, uow, { analysis, ids, isChecked });
}

async function finishSignals(
  database: ReuseDeps["database"],
  uow: UnitOfWork,
  waiting: { analysis: CheckedAnalysis; ids: readonly Types.ObjectId[]; isChecked: boolean },
): Promise<void> {
  const { analysis, ids, isChecked } = waiting;
  const { session, at } = uow;
  const hasEnded = entryEndOf(analysis, at) !== null;
  const warnings = hasEnded ? await currentEventWarnings(database, analysis.symbol) : [];
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
    const own = reusedAnalysis(analysis, signal, { isChecked, at, eventWarnings: warnings });
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
