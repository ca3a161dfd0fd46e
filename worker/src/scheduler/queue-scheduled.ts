import { SCHEDULED_BUDGET_PERCENT, SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { nativeCollection } from "@shared/database/database.ts";
import type { ScheduledAnalysisRecord } from "@shared/database/models/watchlist.ts";
import {
  ANALYSIS_SETUP_ID,
  type AnalysisSetupRecord,
} from "@shared/database/models/worker-reports.ts";
import { isBudgetUsedUp, readAiSpending } from "@shared/domain/ai-budget.ts";
import {
  analysisKey,
  isTooLate,
  type JoinedAnalysis,
  joiningAnalyses,
  newAnalysisJob,
  watchPriority,
} from "@shared/domain/queue-analysis.ts";
import { asFinished } from "@shared/domain/queue-signal.ts";
import { commitBatched, type UnitOfWork } from "@shared/outbox/commit.ts";
import { fanOut } from "../signals/fan-out.ts";
import type { WorkerDeps } from "../worker-deps.ts";

export type QueueDeps = Pick<WorkerDeps, "database" | "logger" | "metrics" | "analyst"> &
  Pick<WorkerDeps, "budgetUsdPerDay" | "now">;

const BATCH_SIZE = 50;

/**
 * Queues planned analyses that are due at this time, in the order in which they are due. Each joins the analysis that a
 * request has started, or becomes a job behind those of requests.
 * @param at by the clock of the database
 */
export async function queueDueAnalyses(deps: QueueDeps, at: Date): Promise<void> {
  const { database, metrics } = deps;
  const due = await database.scheduledAnalyses
    .find({ status: "planned", dueAt: { $lte: at } })
    .sort({ dueAt: 1 })
    .limit(BATCH_SIZE)
    .lean();
  const [first] = due;
  if (!first) return;
  metrics.scheduleLag((at.getTime() - first.dueAt.getTime()) / 1_000);
  const hasBudget = await hasBudgetLeft(deps, at);
  const setup = await database.analysisSetup.findById(ANALYSIS_SETUP_ID).lean();
  await Promise.all(
    due.map((planned) => {
      if (isTooLate(planned, at)) return skip(deps, planned, "late");
      if (!hasBudget) return skip(deps, planned, "budget");
      return queue(deps, planned, setup);
    }),
  );
}

async function hasBudgetLeft(
  { database, budgetUsdPerDay: budgetUsd, analyst }: QueueDeps,
  at: Date,
): Promise<boolean> {
  if (budgetUsd === undefined || analyst.name === "rules") return true;
  const spentUsd = await readAiSpending(database, at);
  return !isBudgetUsedUp({ spentUsd, budgetUsd, percent: SCHEDULED_BUDGET_PERCENT });
}

async function skip(
  { database, logger, metrics }: QueueDeps,
  { _id }: ScheduledAnalysisRecord,
  reason: "late" | "budget",
): Promise<void> {
  const { modifiedCount } = await database.scheduledAnalyses.updateOne(
    { _id, status: "planned" },
    { $set: { status: "skipped" } },
  );
  if (modifiedCount === 0) return;
  metrics.scheduledAnalyses(reason);
  logger.warn({ scheduled: _id, reason }, "scheduled analysis skipped");
}

/** Another worker has queued it. */
class AlreadyQueuedError extends Error {
  override readonly name = "AlreadyQueuedError";
}

async function queue(
  deps: QueueDeps,
  planned: ScheduledAnalysisRecord,
  setup: AnalysisSetupRecord | null,
): Promise<void> {
  const { database, logger, metrics, now } = deps;
  const { _id, candleClosedAt } = planned;
  const request = { ...planned, limit: SIGNAL_DEFAULTS.limit };
  const key = analysisKey(request, setup);
  const batch = {
    write: joiningAnalyses,
    input: (at: Date) => ({ database, request, key, candleClosedAt, at }),
  };
  const options = { lockKeys: `scheduled:${_id}`, groupCommit: true, now, batch };
  try {
    const { analysis, isNew } = await commitBatched(database, options, (uow, joined) =>
      queueJoined(deps, uow, { planned, joined }),
    );
    metrics.scheduledAnalyses(isNew ? "queued" : "shared");
    if (asFinished(analysis)) await fanOut(deps, analysis._id);
  } catch (error) {
    if (error instanceof AlreadyQueuedError) return;
    logger.warn({ err: error, scheduled: _id }, "scheduled analysis not queued yet");
  }
}

async function queueJoined(
  { database }: QueueDeps,
  uow: UnitOfWork,
  { planned, joined }: { planned: ScheduledAnalysisRecord; joined: JoinedAnalysis },
): Promise<JoinedAnalysis> {
  const { session, at } = uow;
  const { analysis, isNew } = joined;
  const { modifiedCount } = await nativeCollection(database.scheduledAnalyses).updateOne(
    { _id: planned._id, status: "planned" },
    { $set: { status: "queued", analysisId: analysis._id } },
    { session },
  );
  if (modifiedCount === 0) throw new AlreadyQueuedError();
  if (asFinished(analysis)?.result.analysis.final_signal !== "WAIT") {
    await nativeCollection(database.marketAnalyses).updateOne(
      { _id: analysis._id },
      { $set: { fanOut: { after: null } } },
      { session },
    );
  }
  const priority = watchPriority(planned.watchers);
  if (isNew) uow.deferInsert(database.jobs.collection, newAnalysisJob(analysis, { at, priority }));
  return joined;
}
