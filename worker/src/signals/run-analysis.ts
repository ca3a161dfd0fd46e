import { setTimeout as delay } from "node:timers/promises";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import type { SignalSource, UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type {
  MarketAnalysisRecord,
  MarketResult,
} from "@shared/database/models/market-analysis.ts";
import { fileStore } from "@shared/files/file-store.ts";
import pRetry from "p-retry";
import { analyseMarket } from "../analysis/analyse-market.ts";
import { type CallUsage, totalUsage } from "../analysis/analyst.ts";
import { signalProvenanceSchema } from "../analysis/provenance.ts";
import { startDeadline } from "../market-data/deadline.ts";
import { ModelRefusalError, ProviderError } from "../market-data/provider-error.ts";
import type { FinishedRun } from "../metrics/worker-metrics.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { assertBudgetLeft, BudgetUsedUpError, countCallCost } from "./analysis-budget.ts";
import { withCalibration } from "./calibrated-confidence.ts";
import { type AnalysisRun, finishRun, type RunResult } from "./signal-lifecycle.ts";

/** Time kept free of the request's timeout for queueing, committing and answering. */
const MARGIN_MS = 6_000;

/** A run that took over from a dead worker starts with a fresh budget, kept short as the trader waits already. */
const TAKEOVER_RUN_MS = 45_000;

/** An analysis that was started this often without an end is probably crashing its workers: it is given up. */
const MAX_RUNS = 3;

/** A worker's clock may be this far behind that of the server that has asked for a candle. */
const MAX_CLOCK_LAG_MS = 5_000;

/** Commits are retried this often, about a minute in all, while the database is away. */
const COMMIT_RETRIES = 12;

/**
 * Runs a started analysis to its end. Only the latest run of an analysis can finish it.
 * @throws the reason of `abort`, and when the result could not be stored; the analysis stays `running` and is claimed
 *   again
 */
export async function runAnalysis(
  deps: WorkerDeps,
  run: AnalysisRun,
  abort: AbortSignal,
): Promise<void> {
  const logger = deps.logger.child({ analysisId: String(run._id), requestId: run.requestId });
  logger.info({ run: run.revision }, "analysis started");
  deps.metrics.runStarted();
  let ended: FinishedRun | undefined;
  try {
    ended = await generateAndCommit({ ...deps, logger }, run, abort);
  } finally {
    deps.metrics.runEnded(ended);
  }
}

/** @returns the figures of the run, unless its result was dropped */
async function generateAndCommit(
  deps: WorkerDeps,
  run: AnalysisRun,
  abort: AbortSignal,
): Promise<FinishedRun | undefined> {
  const { logger } = deps;
  const startedAt = deps.now().getTime();
  const result = await produceResult(deps, run, abort);
  const finished = await storeResult(deps, { run, result, abort });
  if (!finished) {
    const { revision } = run;
    logger.warn({ revision }, "analysis was taken over by another run, result dropped");
    return undefined;
  }
  const { status } = result;
  const { analysis } = result.result;
  const endedAt = deps.now().getTime();
  const durationMs = endedAt - startedAt;
  logger.info({ status, signal: analysis.final_signal, durationMs }, "analysis finished");
  return runMetrics(result, endedAt - run.createdAt.getTime());
}

/**
 * Finishes the run, with retries. An abort ends the retries, but does not undo a commit: a lock whose job has just been
 * deleted by it cannot be renewed, which fires `abort` too.
 * @returns false if another run has taken the analysis over
 */
async function storeResult(
  { database, logger }: Pick<WorkerDeps, "database" | "logger">,
  { run, result, abort }: { run: AnalysisRun; result: RunResult; abort: AbortSignal },
): Promise<boolean> {
  let finished: boolean | undefined;
  const finish = async () => {
    finished = await finishRun(database, run, result);
  };
  try {
    await pRetry(finish, {
      retries: COMMIT_RETRIES,
      minTimeout: 500,
      maxTimeout: 8_000,
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
    return failure("The analysis was interrupted several times.");
  }
  const spent: CallUsage[] = [];
  const counted: Promise<void>[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    counted.push(countCallCost(deps, usage));
  };
  const deadline = startDeadline(abort, runBudgetMs(run));
  try {
    const made = await makeAnalysis(deps, run, { onUsage, abort: deadline.signal });
    const { model, analyst } = made.receipt;
    return { ...made, ...(analyst !== "none" && { usage: usageRecord(model, spent) }) };
  } catch (error) {
    abort.throwIfAborted();
    logFailure(deps.logger, error);
    const model = spent.at(-1)?.model;
    const usage = model === undefined ? {} : { usage: usageRecord(model, spent) };
    return { ...explainFailure(error, deadline.signal), ...usage };
  } finally {
    deadline.clear();
    await Promise.all(counted);
  }
}

async function makeAnalysis(
  deps: WorkerDeps,
  run: AnalysisRun,
  { onUsage, abort }: { onUsage: (usage: CallUsage) => void; abort: AbortSignal },
) {
  await untilClosed(deps, run, abort);
  const { analysis, quoteToUsd, receipt, candles } = await analyseMarket({
    request: run,
    chartImage: await readChartImage(deps.database, run, abort),
    marketData: deps.marketData,
    analyst: deps.analyst,
    costs: deps.tradingCosts[instrumentClass(run.symbol)],
    now: () => deps.now().getTime(),
    abort,
    beforeAnalyst: () => assertBudgetLeft(deps, abort),
    onUsage,
  });
  const result = {
    analysis: await withCalibration(deps, analysis),
    quoteToUsd,
    candlesSha256: receipt.candles.sha256,
  };
  return { status: "completed", result, receipt, candles } as const;
}

/** What a run cost, for the administrators' sums; an analyst that counts no tokens costs nothing. */
function usageRecord(model: string, spent: readonly CallUsage[]): RunResult["usage"] {
  return { model, ...(totalUsage(spent) ?? { promptTokens: 0, completionTokens: 0, costUsd: 0 }) };
}

/** What no later signal will survive either, such as a bad key, is said as an error; the rest may pass. */
function logFailure(logger: WorkerDeps["logger"], error: unknown): void {
  const isLasting =
    error instanceof ProviderError &&
    !error.retryable &&
    error.failure !== "unknown-symbol" &&
    !(error instanceof ModelRefusalError);
  if (isLasting) logger.error({ err: error }, `signal failed: ${error.message}`);
  else logger.warn({ err: error }, "signal failed");
}

/**
 * Milliseconds that a run may take, so that a request that did not wait in the queue is answered in time. The wait is not
 * deducted: it would be the difference of two machines' clocks, and a late result is still pushed.
 */
export function runBudgetMs({
  revision,
  chartImageId,
}: Pick<AnalysisRun, "revision" | "chartImageId">): number {
  if (revision > 1) return TAKEOVER_RUN_MS;
  const timeoutMs = chartImageId ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal;
  return timeoutMs - MARGIN_MS;
}

/**
 * Waits until the candle has closed by this machine's clock too: market data leaves out candles that are still open.
 * A clock that is far behind is not waited for.
 */
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
    const { status, result } = failure(MESSAGES.budgetUsedUp);
    const analysis = { ...result.analysis, warnings: [MESSAGES.budgetUsedUp] };
    return { status, result: { ...result, analysis } };
  }
  const isRefusal = error instanceof ModelRefusalError;
  return { ...failure(explain(error, deadline)), ...(isRefusal && { isRefusal }) };
}

function failure(reason: string): { status: "failed"; result: MarketResult } {
  const analysis = failedAnalysis({ reason });
  return { status: "failed", result: { analysis, quoteToUsd: null, candlesSha256: null } };
}

function explain(error: unknown, deadline: AbortSignal): string {
  if (error instanceof ModelRefusalError) return "The AI model declined this request.";
  if (deadline.aborted) return "The analysis took too long.";
  if (error instanceof MissingImageError) return "The chart image was deleted.";
  if (!(error instanceof ProviderError)) return "The analysis could not be made.";
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

/**
 * What a signal that could not be made answers: a WAIT without confidence. `reason` is a plain sentence on what was
 * the matter; `source` is what is known of where the data came from.
 */
export function failedAnalysis(options: {
  reason: string;
  source?: SignalSource;
}): UnsizedAnalysis {
  const { reason, source = NO_SOURCE } = options;
  return {
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    warnings: [MESSAGES.failedSignal, reason],
    suggested_hold: "No position",
    hold_candles: null,
    trade_duration_text: "No trade",
    raw_ai: {
      confidence: 0,
      rationale: reason,
      key_evidence: [],
      market_condition: "Unknown",
      what_to_watch_for: [],
    },
    source,
  };
}

/** Reading is retried this often, some 8 s in all, while the database is away: the image is paid for. */
const READ_RETRIES = 4;

/** The image that an analysis was asked for with is gone: an analysis without it is not what was paid for. */
class MissingImageError extends Error {
  override readonly name = "MissingImageError";
}

/**
 * The chart image of an analysis as a data URL; undefined for one without.
 * @throws MissingImageError if it has been deleted meanwhile; the reason of `abort` once that fires
 */
function readChartImage(
  database: Database,
  analysis: Pick<MarketAnalysisRecord, "chartImageId">,
  abort: AbortSignal,
): Promise<string | undefined> {
  return pRetry(() => readDataUrl(database, analysis), {
    retries: READ_RETRIES,
    minTimeout: 500,
    signal: abort,
    shouldRetry: ({ error }) => !(error instanceof MissingImageError),
  });
}

async function readDataUrl(
  database: Database,
  { chartImageId }: Pick<MarketAnalysisRecord, "chartImageId">,
): Promise<string | undefined> {
  if (!chartImageId) return undefined;
  const image = await database.chartImages.findById(chartImageId).lean();
  const bytes = image && (await fileStore(database, "chart_uploads").read(image._id));
  if (!bytes) throw new MissingImageError("the chart image is not stored any more");
  return `data:${image.contentType};base64,${bytes.toString("base64")}`;
}

const timedSchema = signalProvenanceSchema.pick({ durationsMs: true });

/** What the worker counts of a run; `totalMs` is the time from its request to its end. */
function runMetrics({ status, receipt, usage }: RunResult, totalMs: number): FinishedRun {
  return {
    status,
    totalMs,
    stagesMs: timedSchema.safeParse(receipt).data?.durationsMs,
    tokens: usage && {
      model: usage.model,
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
    },
  };
}
