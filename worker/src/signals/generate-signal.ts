import { analysisJobDataSchema, GENERATE_SIGNAL_JOB } from "@shared/domain/queue-analysis.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { deleteItem, type FoundItem } from "@shared/work/item-locks.ts";
import type { ItemLock, WorkHandler } from "@shared/work/work-handler.ts";
import type { Types } from "mongoose";
import type { WorkerDeps } from "../worker-deps.ts";
import { reuseAnalysis } from "./reuse-analysis.ts";
import { runAnalysis } from "./run-analysis.ts";
import { type AnalysisRun, startOtherSignals, startRuns } from "./signal-lifecycle.ts";

/** The work of making analyses. What finishes an analysis deletes its item. */
export const generateSignals = (deps: WorkerDeps, concurrency: number): WorkHandler =>
  handleAnalyses(deps.database, concurrency, {
    run: (analysis, abort) => runAnalysis(deps, analysis, abort),
    reuse: (analysisId, abort) => reuseAnalysis(deps, analysisId, abort),
  });

interface AnalysisWork {
  /** Makes an analysis. If it fails, this worker takes the item again. */
  run: (analysis: AnalysisRun, abort: AbortSignal) => Promise<void>;
  /** Finishes the signals that wait for a finished analysis, as a crashed worker has left them. */
  reuse: (analysisId: Types.ObjectId, abort: AbortSignal) => Promise<void>;
}

export function handleAnalyses(
  database: WorkerDeps["database"],
  concurrency: number,
  { run, reuse }: AnalysisWork,
): WorkHandler {
  return {
    kind: GENERATE_SIGNAL_JOB,
    concurrency,
    isTimed: false,
    async claim(items, lock) {
      const { runs, finished } = await claimRuns(database, items, lock);
      return [
        ...runs.map((analysis) => ({
          id: analysis._id,
          run: (abort: AbortSignal) => run(analysis, abort),
        })),
        ...finished.map((id) => ({
          id,
          async run(abort: AbortSignal) {
            await reuse(id, abort);
            await deleteItem(database, { _id: id, workerId: lock.workerId });
          },
        })),
      ];
    },
  };
}

/**
 * Locks items and starts their analyses in one transaction.
 * @returns also the finished ones, for which signals wait
 */
async function claimRuns(
  database: WorkerDeps["database"],
  items: readonly FoundItem[],
  lock: ItemLock,
): Promise<{ runs: AnalysisRun[]; finished: Types.ObjectId[] }> {
  const lockKeys = items.flatMap(({ data }) => {
    const parsed = analysisJobDataSchema.safeParse(data);
    return parsed.data?.userId ? [userStream(parsed.data.userId)] : [];
  });
  const { locked, runs, hasMore } = await commit(database, { lockKeys }, async (uow) => {
    const locked = await lock.take(uow.session);
    return { locked, ...(await startRuns(database, uow, locked)) };
  });
  if (hasMore) await startOtherSignals(database, runs);
  const started = new Set(runs.map(({ _id }) => String(_id)));
  return { runs, finished: locked.filter((id) => !started.has(String(id))) };
}
