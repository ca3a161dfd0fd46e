import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { AppError } from "@shared/node/app-error.ts";
import { startDeadline } from "@shared/node/deadline.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { SignalOrigin } from "@shared/node/signals/mark-started.ts";
import {
  finishSignal,
  type SignalResult,
  startSignal,
} from "@shared/node/signals/signal-transitions.ts";
import pRetry from "p-retry";
import type { FinishedRun } from "../metrics/worker-metrics.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { type CallUsage, totalUsage } from "./analyst.ts";
import { failedAnalysis } from "./failed-analysis.ts";
import { generateSignal } from "./generate-signal.ts";
import { MissingImageError, readChartImage } from "./read-chart-image.ts";
import { runFigures } from "./run-figures.ts";
import { withCalibration } from "./with-calibration.ts";

/** Time kept free of the request's time-out for queueing, committing and answering. */
const MARGIN_MS = 6_000;

/** Even a signal that waited long in the queue gets this much time to be made. */
const SHORTEST_RUN_MS = 20_000;

/** A run that took over from a dead worker starts with a fresh budget, kept short as the trader waits already. */
const TAKEOVER_RUN_MS = 45_000;

/** A signal that was started this often without an end takes its workers down: it is given up. */
const MOST_RUNS = 3;

/** Starting is tried this often more; then the sweep tries again. */
const START_RETRIES = 2;

/** Commits are retried this often, about a minute in all, while the database is away. */
const COMMIT_RETRIES = 12;

/**
 * Takes one signal from its claim to its end. Safe to call twice for the same signal, also at the same time:
 * only the latest claim can end it.
 * @throws the shutdown reason when the worker has to stop; the signal stays `running` and is queued again
 */
export async function runSignal(deps: WorkerDeps, signal: SignalOrigin): Promise<void> {
  const claim = await startPatiently(deps, signal);
  if (!claim) return;
  const logger = deps.logger.child({ signalId: String(claim._id), requestId: claim.requestId });
  logger.info({ run: claim.revision }, "signal started");
  deps.metrics.runStarted();
  let ended: FinishedRun | undefined;
  try {
    ended = await makeAndStore({ ...deps, logger }, claim);
  } finally {
    deps.metrics.runEnded(ended);
  }
}

/** @returns the figures of the run, unless its result was dropped */
async function makeAndStore(
  deps: WorkerDeps,
  claim: SignalRecord,
): Promise<FinishedRun | undefined> {
  const { logger } = deps;
  const startedAt = deps.now().getTime();
  const result = await produceResult(deps, claim);
  const finished = await pRetry(() => finishSignal(deps.database, claim, result), {
    retries: COMMIT_RETRIES,
    minTimeout: 500,
    maxTimeout: 8_000,
    signal: deps.shutdown,
    onFailedAttempt: ({ error }) => logger.warn({ err: error }, "could not store the signal yet"),
  });
  if (!finished) {
    const { revision } = claim;
    logger.warn({ revision }, "signal was taken over by another run, result dropped");
    return undefined;
  }
  const { status, analysis } = result;
  const endedAt = deps.now().getTime();
  const durationMs = endedAt - startedAt;
  logger.info({ status, signal: analysis.final_signal, durationMs }, "signal finished");
  return runFigures(result, endedAt - claim.createdAt.getTime());
}

/** Starts the signal; one of very many of the same trader may have to wait long for its turn in his stream. */
function startPatiently(deps: WorkerDeps, signal: SignalOrigin): Promise<SignalRecord | null> {
  return pRetry(() => startSignal(deps.database, signal), {
    retries: START_RETRIES,
    minTimeout: 100,
    signal: deps.shutdown,
    shouldRetry: ({ error }) => error instanceof AppError && error.code === "unavailable",
    onFailedAttempt: ({ error }) =>
      deps.logger.warn({ err: error, signalId: signal._id }, "could not start the signal yet"),
  });
}

async function produceResult(deps: WorkerDeps, claim: SignalRecord): Promise<SignalResult> {
  if (claim.revision > MOST_RUNS) {
    deps.logger.error({ runs: claim.revision - 1 }, "signal given up: no run of it came to an end");
    return failure("The analysis was interrupted several times.");
  }
  const spent: CallUsage[] = [];
  const budget = startDeadline(deps.shutdown, runBudgetMs(claim, deps.now()));
  const { signal: abort } = budget;
  try {
    const { analysis, receipt, candles } = await generateSignal({
      request: claim,
      chartImage: await readChartImage(deps.database, claim, abort),
      marketData: deps.marketData,
      analyst: deps.analyst,
      now: () => deps.now().getTime(),
      abort,
      onUsage: (usage) => spent.push(usage),
    });
    const usage = receipt.analyst === "none" ? {} : { usage: usageRecord(receipt.model, spent) };
    return {
      status: "completed",
      analysis: await withCalibration(deps, analysis),
      receipt,
      candles,
      ...usage,
    };
  } catch (error) {
    deps.shutdown.throwIfAborted();
    logFailure(deps.logger, error);
    const model = spent.at(-1)?.model;
    const usage = model === undefined ? {} : { usage: usageRecord(model, spent) };
    return { ...failure(explain(error, abort)), ...usage };
  } finally {
    budget.clear();
  }
}

/** What a run cost, for the administrators' sums; an analyst that counts no tokens costs nothing. */
function usageRecord(model: string, spent: readonly CallUsage[]): SignalResult["usage"] {
  return { model, ...(totalUsage(spent) ?? { promptTokens: 0, completionTokens: 0, costUsd: 0 }) };
}

/** What no later signal will survive either, such as a bad key, is said as an error; the rest may pass. */
function logFailure(logger: WorkerDeps["logger"], error: unknown): void {
  const isLasting =
    error instanceof ProviderError && !error.retryable && error.failure !== "unknown-symbol";
  if (isLasting) logger.error({ err: error }, `signal failed: ${error.message}`);
  else logger.warn({ err: error }, "signal failed");
}

/** Milliseconds that a run may take, so that its request is answered in time. */
export function runBudgetMs(
  claim: Pick<SignalRecord, "createdAt" | "revision" | "chartImageId">,
  now: Date,
): number {
  if (claim.revision > 1) return TAKEOVER_RUN_MS;
  const timeoutMs = claim.chartImageId ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal;
  const deadline = claim.createdAt.getTime() + timeoutMs - MARGIN_MS;
  return Math.max(SHORTEST_RUN_MS, deadline - now.getTime());
}

function failure(reason: string): SignalResult {
  return { status: "failed", analysis: failedAnalysis({ reason }) };
}

function explain(error: unknown, budget: AbortSignal): string {
  if (budget.aborted) return "The analysis took too long.";
  if (error instanceof MissingImageError) return "The chart image was deleted.";
  if (!(error instanceof ProviderError)) return "The analysis could not be made.";
  if (error.failure === "unknown-symbol") return "No market data provider lists this symbol.";
  return `${error.provider} gave no usable answer.`;
}
