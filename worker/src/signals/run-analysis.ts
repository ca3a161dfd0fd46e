import { setTimeout as delay } from "node:timers/promises";
import { MESSAGES, SCHEDULED_BUDGET_PERCENT, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { SignalSource, UnsizedAnalysis } from "@shared/contract/signal.ts";
import { type Database, readTime } from "@shared/database/database.ts";
import { fileStore } from "@shared/database/file-bytes.ts";
import { countAiCost, isBudgetUsedUp, readAiSpending } from "@shared/domain/ai-budget.ts";
import { isTooLate } from "@shared/domain/queue-analysis.ts";
import { UNVERSIONED } from "@shared/stats/performance-metrics.ts";
import pRetry from "p-retry";
import { analyseMarket } from "../analysis/analyse-market.ts";
import { type CallUsage, SettingsFaultError, totalUsage } from "../analysis/analyst.ts";
import { waitAnalysis } from "../analysis/compose-analysis.ts";
import { ModelRefusalError } from "../analysis/model-refusal.ts";
import { signalProvenanceSchema } from "../analysis/provenance.ts";
import { withDeadline } from "../deadline.ts";
import { ProviderError, UnusableMarketError } from "../market-data/market-data.ts";
import { calibrate } from "../record/calibration.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { FinishedRun } from "../worker-metrics.ts";
import { type AnalysisRun, finishRun, type RunResult } from "./signal-lifecycle.ts";

/** Reserved for queueing, committing and the response. */
const MARGIN_MS = 6_000;

const BUDGET_USED_UP = "The daily analysis budget is used up.";

/** A shorter limit after a takeover, as the user has waited already. */
const TAKEOVER_RUN_MS = 45_000;

/** An analysis that never finishes is probably crashing its workers. */
const MAX_RUNS = 3;

/** Maximum clock difference between worker and server. */
const MAX_CLOCK_LAG_MS = 5_000;

/** About a minute in all, while the database is unavailable. */
const DATABASE_RETRIES = { retries: 12, minTimeout: 500, maxTimeout: 8_000 } as const;

/**
 * Runs an analysis to its end. Only the latest run can finish it.
 * @throws the reason of `abort`, and if the result could not be stored; the analysis is claimed again then
 */
export async function runAnalysis(
  deps: WorkerDeps,
  run: AnalysisRun,
  abort: AbortSignal,
): Promise<void> {
  const { metrics, now } = deps;
  const { revision } = run;
  const logger = deps.logger.child({ analysisId: String(run._id), requestId: run.requestId });
  const startedAt = now().getTime();
  let finished: FinishedRun | undefined;
  logger.info({ run: revision }, "analysis started");
  metrics.runStarted();
  try {
    const result = await produceResult({ ...deps, logger }, run, abort);
    if (!(await storeResult({ ...deps, logger }, run, result, abort))) {
      logger.warn({ revision }, "analysis was taken over by another run, result dropped");
      return;
    }
    const endedAt = now().getTime();
    const { status } = result;
    const signal = result.result.analysis.final_signal;
    logger.info({ status, signal, durationMs: endedAt - startedAt }, "analysis finished");
    finished = runMetrics(result, endedAt - run.createdAt.getTime());
  } finally {
    metrics.runEnded(finished);
  }
}

/** A failed lock renewal after a successful commit fires `abort` too, so an abort does not mean failure. */
async function storeResult(
  { database, logger }: Pick<WorkerDeps, "database" | "logger">,
  run: AnalysisRun,
  result: RunResult,
  abort: AbortSignal,
): Promise<boolean> {
  let finished: boolean | undefined;
  const finish = async () => {
    finished = await finishRun(database, run, result);
  };
  try {
    await pRetry(finish, {
      ...DATABASE_RETRIES,
      signal: abort,
      onFailedAttempt({ error }) {
        if (!abort.aborted) logger.warn({ err: error }, "could not store the analysis yet");
      },
    });
  } catch (error) {
    if (finished === undefined) throw error;
  }
  return finished ?? false;
}

async function produceResult(
  deps: WorkerDeps,
  run: AnalysisRun,
  abort: AbortSignal,
): Promise<RunResult> {
  if (run.revision > MAX_RUNS) {
    deps.logger.error({ runs: run.revision - 1 }, "analysis given up: no run of it came to an end");
    return failedRun("The analysis was interrupted several times.");
  }
  const spent: CallUsage[] = [];
  const counted: Promise<void>[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    counted.push(countCallCost(deps, usage));
  };
  return withDeadline(abort, runBudgetMs(run), async (deadline) => {
    try {
      const analysed = await makeAnalysis(deps, run, onUsage, deadline);
      const { model, analyst } = analysed.provenance;
      const isAsked = analyst !== "none" || spent.length > 0;
      const usedModel = spent.at(-1)?.model ?? model;
      return { ...analysed, ...(isAsked && { usage: usageRecord(usedModel, spent) }) };
    } catch (error) {
      abort.throwIfAborted();
      logFailure(deps.logger, error);
      const failure = explainFailure(error, deadline);
      const model = spent.at(-1)?.model;
      if (model === undefined) return failure;
      return { ...failure, usage: usageRecord(model, spent) };
    } finally {
      await Promise.all(counted);
    }
  });
}

async function makeAnalysis(
  deps: WorkerDeps,
  run: AnalysisRun,
  onUsage: (usage: CallUsage) => void,
  abort: AbortSignal,
) {
  await assertInTime(deps, run);
  await untilClosed(deps, run, abort);
  const { analysis, quoteToUsd, ...analysed } = await analyseMarket({
    request: run,
    chartImage: await readChartImage(deps.database, run, abort),
    marketData: deps.marketData,
    analyst: deps.analyst,
    costs: deps.tradingCosts[instrumentClass(run.symbol)],
    evidence: deps.evidence,
    now: () => deps.now().getTime(),
    abort,
    beforeAnalyst: () => assertBudgetLeft(deps, run, abort),
    onUsage,
  });
  const result = {
    analysis: await withCalibration(deps, analysis),
    quoteToUsd,
    candlesSha256: analysed.provenance.candles.sha256,
  };
  return { status: "completed", result, ...analysed } as const;
}

function usageRecord(model: string, spent: readonly CallUsage[]): RunResult["usage"] {
  return { model, ...(totalUsage(spent) ?? { promptTokens: 0, completionTokens: 0, costUsd: 0 }) };
}

/** Errors that all later signals will have too, such as a bad API key, are logged as errors. */
function logFailure(logger: WorkerDeps["logger"], error: unknown): void {
  if (error instanceof SettingsFaultError) {
    logger.warn("signal failed: a setting of the model has to change");
    return;
  }
  const isLasting =
    error instanceof ProviderError &&
    !error.retryable &&
    error.failure !== "unknown-symbol" &&
    !(error instanceof ModelRefusalError);
  if (isLasting) logger.error({ err: error }, `signal failed: ${error.message}`);
  else logger.warn({ err: error }, "signal failed");
}

/** The wait in the queue is not deducted: it would compare two machines' clocks. */
export function runBudgetMs({
  revision,
  chartImageId,
}: Pick<AnalysisRun, "revision" | "chartImageId">): number {
  if (revision > 1) return TAKEOVER_RUN_MS;
  const timeoutMs = chartImageId ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal;
  return timeoutMs - MARGIN_MS;
}

/** Returns true for a scheduled analysis that no request has joined. */
async function isForWatchersOnly(
  { signals }: Database,
  { _id, fanOut: watched }: AnalysisRun,
): Promise<boolean> {
  return watched !== undefined && !(await signals.exists({ analysisId: _id }));
}

class TooLateError extends Error {
  override readonly name = "TooLateError";
}

/** @throws TooLateError for a scheduled analysis that has waited for too long */
async function assertInTime(
  { database, metrics }: Pick<WorkerDeps, "database" | "metrics">,
  run: AnalysisRun,
): Promise<void> {
  if (!(await isForWatchersOnly(database, run))) return;
  // By the clock that it was planned by: that of this machine may be wrong by half a candle.
  if (!isTooLate(run, await readTime(database))) return;
  metrics.scheduledAnalyses("late");
  throw new TooLateError("The candle of the scheduled analysis closed too long ago.");
}

/** Market data omits candles that are still open by this machine's clock. */
async function untilClosed(
  { now }: Pick<WorkerDeps, "now">,
  { candleClosedAt }: AnalysisRun,
  abort: AbortSignal,
): Promise<void> {
  const waitMs = candleClosedAt.getTime() - now().getTime();
  if (waitMs > 0 && waitMs <= MAX_CLOCK_LAG_MS) await delay(waitMs, undefined, { signal: abort });
}

function explainFailure(error: unknown, deadline: AbortSignal): RunResult {
  if (error instanceof BudgetUsedUpError) {
    return failedRun(BUDGET_USED_UP, [BUDGET_USED_UP]);
  }
  if (error instanceof ModelRefusalError) {
    return { ...failedRun("The AI model declined this request."), isRefusal: true };
  }
  if (error instanceof TooLateError) return failedRun(error.message);
  return failedRun(explain(error, deadline));
}

export function failedRun(reason: string, warnings = [MESSAGES.failedSignal, reason]): RunResult {
  const analysis = waitAnalysis({ reason, condition: "Unknown", warnings, source: NO_SOURCE });
  return { status: "failed", result: { analysis, quoteToUsd: null, candlesSha256: null } };
}

function explain(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return "The analysis took too long.";
  if (error instanceof MissingImageError) return "The chart image was deleted.";
  if (!(error instanceof ProviderError)) return "The analysis could not be made.";
  if (error instanceof UnusableMarketError) return error.reason;
  if (error.failure === "unknown-symbol") return "No market data provider lists this symbol.";
  return `${error.provider} gave no usable answer.`;
}

const NO_SOURCE: SignalSource = {
  data: "none",
  provider: "none",
  analyst: "none",
  model: "none",
  last_candle_at: null,
  price: null,
};

/** About 8 s in all: the image has been paid for. */
const READ_RETRIES = 4;

class MissingImageError extends Error {
  override readonly name = "MissingImageError";
}

/** The image as a data URL. @throws MissingImageError if it has been deleted; the reason of `abort` */
function readChartImage(
  database: Database,
  { chartImageId }: AnalysisRun,
  abort: AbortSignal,
): Promise<string | undefined> {
  const read = async () => {
    if (!chartImageId) return;
    const image = await database.chartImages.findById(chartImageId).lean();
    const bytes = image && (await fileStore(database, "chart_uploads").read(image._id));
    if (!bytes) throw new MissingImageError("the chart image is not stored any more");
    return `data:${image.contentType};base64,${bytes.toString("base64")}`;
  };
  return pRetry(read, {
    retries: READ_RETRIES,
    minTimeout: 500,
    signal: abort,
    shouldRetry: ({ error }) => !(error instanceof MissingImageError),
  });
}

const timedSchema = signalProvenanceSchema.pick({ durationsMs: true });

function runMetrics({ status, provenance, usage }: RunResult, totalMs: number): FinishedRun {
  const stagesMs = timedSchema.safeParse(provenance).data?.durationsMs;
  return { status, totalMs, stagesMs, usage };
}

class BudgetUsedUpError extends Error {
  override readonly name = "BudgetUsedUpError";
}

type BudgetDeps = Pick<WorkerDeps, "database" | "logger" | "now" | "budgetUsdPerDay">;

/**
 * Checks today's spending. The rules cost nothing and are not limited.
 * @throws BudgetUsedUpError; the reason of `abort` once that fires
 */
async function assertBudgetLeft(
  { database, now, budgetUsdPerDay, analyst }: BudgetDeps & Pick<WorkerDeps, "analyst">,
  run: AnalysisRun,
  abort: AbortSignal,
): Promise<void> {
  if (budgetUsdPerDay === undefined || analyst.name === "rules") return;
  const spentUsd = await pRetry(() => readAiSpending(database, now()), {
    ...DATABASE_RETRIES,
    signal: abort,
  });
  const percent = (await isForWatchersOnly(database, run)) ? SCHEDULED_BUDGET_PERCENT : 100;
  if (isBudgetUsedUp({ spentUsd, budgetUsd: budgetUsdPerDay, percent })) {
    throw new BudgetUsedUpError("The daily AI budget is used up.");
  }
}

/** Adds the cost of a call to today's spending, independent of the run's outcome. Never throws. */
async function countCallCost(
  { database, logger, now, budgetUsdPerDay }: BudgetDeps,
  { costUsd }: CallUsage,
): Promise<void> {
  if (costUsd === null || costUsd === 0) return;
  const call = { costUsd, endedAt: now(), budgetUsd: budgetUsdPerDay };
  try {
    await pRetry(() => countAiCost(database, call), DATABASE_RETRIES);
  } catch (error) {
    logger.error({ err: error, costUsd }, "the cost of an AI call could not be counted");
  }
}

/** A signal does not fail if the calibration cannot be read. */
export async function withCalibration(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  analysis: UnsizedAnalysis,
): Promise<UnsizedAnalysis> {
  try {
    const calibrated = await calibratedConfidence(database, { analysis, at: now() });
    return { ...analysis, calibrated_confidence: calibrated };
  } catch (error) {
    logger.warn({ err: error }, "confidence could not be calibrated");
    return { ...analysis, calibrated_confidence: null };
  }
}

/**
 * 0–100 with one decimal, by the newest fit from before `at`, made only of signals resolved before it.
 * Null without such a fit, and for a WAIT, which can neither win nor lose.
 */
export async function calibratedConfidence(
  database: Database,
  { analysis, at }: { analysis: UnsizedAnalysis; at: Date },
): Promise<number | null> {
  const { final_signal: signal, confidence, source } = analysis;
  const { data, analyst, analyst_version: version = UNVERSIONED, model } = source;
  if (signal === "WAIT" || data === "none") return null;
  const fit = await database.calibrations
    .findOne({ data, analyst, version, model, fittedAt: { $lte: at }, fittedUntil: { $lt: at } })
    .sort({ fittedAt: -1 })
    .lean();
  return fit && Math.round(calibrate(fit.curve, confidence / 100) * 1_000) / 10;
}
