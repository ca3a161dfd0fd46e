import { shadowDatabase } from "@shared/domain/analyst-bench.ts";
import { cleanUpFiles } from "@shared/domain/file-store.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import { deleteOldShadows } from "../analyst-bench/delete-old-shadows.ts";
import { measureBench } from "../analyst-bench/measure-bench.ts";
import { seedDemoBench } from "../analyst-bench/seed-demo-bench.ts";
import { publishMarkets } from "../market-data/publish-markets.ts";
import type { MarketDataSelection } from "../market-data/select-market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { watchEntries } from "../outcomes/entry-watch.ts";
import { judgeWaits } from "../outcomes/judge-waits.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { publishLedgerHead, type Witness, witnessHeads } from "../record/ledger-heads.ts";
import { refitCalibrations, updatePerformanceStats } from "../record/performance-stats.ts";
import { calendarWitness, gitWitness, webhookWitness } from "../record/witnesses.ts";
import {
  repairUnfinishedCounts,
  requeueFanOuts,
  requeueStrandedSignals,
} from "../signals/requeue-stranded-signals.ts";
import { addResultsEmails } from "../subscriptions/add-results-emails.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { deleteOldAnalyses } from "./delete-old-analyses.ts";
import { ModelChecks } from "./model-checks.ts";
import { oneAtATime, type RecurringJob } from "./recurring-work.ts";
import { seedDemoRecord } from "./seed-demo-record.ts";

type JobMarket = Pick<MarketDataSelection, "sources" | "currentSource">;

type BaseDeps = Pick<WorkerDeps, "database" | "logger" | "now">;

export const recurringJobs = (
  deps: WorkerDeps,
  { market, settings }: { market: JobMarket; settings: WorkerSettings },
): RecurringJob[] => [
  sweepSignalsJob(deps),
  cleanUpFilesJob(deps),
  deleteOldAnalysesJob(deps, settings),
  addResultsEmailsJob(deps),
  publishMarketsJob(deps),
  watchEntriesJob(deps),
  resolveOutcomesJob(deps, market.sources),
  judgeWaitsJob(deps, market.sources),
  measurePerformanceJob(deps),
  resolveBenchJob(deps, market.sources),
  measureBenchJob(deps),
  ...(settings.OPENAI_API_KEY === undefined ? [] : [checkModelJob(deps, settings)]),
  ...(settings.DEMO_RECORD === "on" ? [seedDemoRecordJob(deps, market)] : []),
  ...(settings.DEMO_RECORD === "on" && settings.BENCH_FILE === undefined
    ? [seedDemoBenchJob(deps, market)]
    : []),
  publishLedgerHeadJob(deps, settings),
  witnessLedgerHeadsJob({ ...deps, settings }),
];

const sweepSignalsJob = (deps: BaseDeps): RecurringJob => ({
  name: "sweep-signals",
  every: "10 seconds",
  async work() {
    await requeueStrandedSignals(deps);
    await requeueFanOuts(deps);
    await repairUnfinishedCounts(deps);
  },
});

/** Its first run asks the server again, however lately another worker did: the settings may have changed. */
function checkModelJob(deps: WorkerDeps, settings: WorkerSettings): RecurringJob {
  const checks = new ModelChecks(deps, settings);
  return {
    name: "check-model",
    every: "5 seconds",
    runsAtStart: true,
    work: oneAtATime((abort) => checks.run(abort)),
  };
}

/** The nightly cleanup of files at 03:00 UTC. */
export const cleanUpFilesJob = ({ database, logger, now }: BaseDeps): RecurringJob => ({
  name: "clean-up-files",
  every: "0 3 * * *",
  async work() {
    const deleted = await cleanUpFiles({ database, now });
    logger.info({ deleted }, "chart images cleaned up");
  },
});

/** Every night at 03:30 UTC. */
export const deleteOldAnalysesJob = (
  { database, logger, now }: BaseDeps,
  { RETENTION_DAYS: retentionDays }: Pick<WorkerSettings, "RETENTION_DAYS">,
): RecurringJob => ({
  name: "delete-old-analyses",
  every: "30 3 * * *",
  async work(abort) {
    const { deleted, reduced } = await deleteOldAnalyses({ database, now, retentionDays, abort });
    const shadows = await deleteOldShadows({ database, now, retentionDays });
    logger.info({ deleted, reduced, shadows }, "old analyses deleted");
  },
});

/** About the last month. What is due while no worker runs is added when one starts. */
const addResultsEmailsJob = (deps: BaseDeps): RecurringJob => ({
  name: "add-results-emails",
  every: "10 minutes",
  async work(abort) {
    const added = await addResultsEmails({ ...deps, abort });
    if (added > 0) deps.logger.info({ added }, "emails about results added");
  },
});

function publishMarketsJob(deps: WorkerDeps): RecurringJob {
  const hasChanged = changeDetector();
  return {
    name: "publish-markets",
    every: "1 minute",
    async work(abort) {
      const failed = await publishMarkets({ ...deps, abort });
      if (!hasChanged(failed) || abort.aborted) return;
      deps.logger.info({ failed }, "markets without a new price");
    },
  };
}

function watchEntriesJob(deps: WorkerDeps): RecurringJob {
  const { logger } = deps;
  const hasChanged = changeDetector();
  return {
    name: "watch-entries",
    // Five seconds later, as the candles of the previous minute have arrived by then.
    every: "5 * * * * *",
    async work(abort) {
      const { left, failedMarkets } = await watchEntries({ ...deps, abort });
      if (left > 0) logger.info({ left }, "entries missed");
      if (!hasChanged(failedMarkets) || abort.aborted) return;
      logger.info({ failedMarkets }, "markets that are not watched");
    },
  };
}

/** Returns whether a list differs from the one before, so that it is logged once. */
function changeDetector(): (list: readonly string[]) => boolean {
  let last = "";
  return (list) => {
    const hasChanged = list.join() !== last;
    last = list.join();
    return hasChanged;
  };
}

function resolveOutcomesJob(
  deps: BaseDeps & Pick<WorkerDeps, "tradingCosts">,
  sources: MarketDataSelection["sources"],
): RecurringJob {
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  return {
    name: "resolve-outcomes",
    every: "5 seconds",
    async work(abort) {
      const resolved = await resolveOutcomes({ ...deps, archive, backoff, abort });
      if (resolved > 0) deps.logger.info({ resolved }, "outcomes resolved");
    },
  };
}

/** Its own job: what users wait for comes first. */
function judgeWaitsJob(
  deps: BaseDeps & Pick<WorkerDeps, "tradingCosts">,
  sources: MarketDataSelection["sources"],
): RecurringJob {
  const archive = new CandleArchive(sources);
  return {
    name: "judge-waits",
    every: "1 minute",
    async work(abort) {
      const judged = await judgeWaits({ ...deps, archive, abort });
      if (judged > 0) deps.logger.debug({ judged }, "rejected trades resolved");
    },
  };
}

/** Resolves the trades of the bench. A job of its own: those of users do not wait for it. */
function resolveBenchJob(
  deps: BaseDeps & Pick<WorkerDeps, "tradingCosts">,
  sources: MarketDataSelection["sources"],
): RecurringJob {
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  const shadow = { ...deps, database: shadowDatabase(deps.database), keepsCandles: false };
  return {
    name: "resolve-bench",
    every: "10 seconds",
    async work(abort) {
      const resolved = await resolveOutcomes({ ...shadow, archive, backoff, abort });
      if (resolved > 0) deps.logger.debug({ resolved }, "outcomes of the bench resolved");
    },
  };
}

/** A run takes at most this part of the time. */
const MEASURE_SHARE = 1 / 20;

/** Updates the figures of the bench. */
function measureBenchJob(deps: BaseDeps): RecurringJob {
  let restsUntil = 0;
  return {
    name: "measure-bench",
    every: "10 seconds",
    async work(abort) {
      const startedAt = performance.now();
      if (startedAt < restsUntil) return;
      await measureBench({ ...deps, abort });
      const tookMs = performance.now() - startedAt;
      restsUntil = startedAt + tookMs / MEASURE_SHARE;
    },
  };
}

/** Makes the demo record of the bench while market data is replayed. */
function seedDemoBenchJob(
  deps: BaseDeps & Pick<WorkerDeps, "tradingCosts">,
  { sources: { replay }, currentSource }: JobMarket,
): RecurringJob {
  let isFinished = false;
  return {
    name: "seed-demo-bench",
    every: "5 seconds",
    async work(abort) {
      if (isFinished || !replay || currentSource() !== "replay") return;
      // The record of the performance page comes first: visitors look there.
      if (!(await deps.database.performanceDays.exists({}))) return;
      await seedDemoBench({ ...deps, replay, abort });
      isFinished = true;
    },
  };
}

const MEASURE_JOB = "measure-performance";

/** Updates the statistics of the performance page, and the calibrations. */
export const measurePerformanceJob = (deps: BaseDeps): RecurringJob => ({
  name: MEASURE_JOB,
  every: "1 minute",
  async work(abort) {
    const days = await updatePerformanceStats({ ...deps, abort });
    if (days.length > 0) deps.logger.debug({ days }, "performance measured");
    const fitted = await refitCalibrations({ ...deps, abort });
    if (fitted.length > 0) deps.logger.info({ fitted }, "confidence calibrated");
  },
});

/** Makes the demo record while market data is replayed. */
function seedDemoRecordJob(
  deps: BaseDeps & Pick<WorkerDeps, "tradingCosts">,
  { sources: { replay }, currentSource }: JobMarket,
): RecurringJob {
  let isFinished = false;
  return {
    name: "seed-demo-record",
    every: "5 seconds",
    async work(abort) {
      if (isFinished || !replay || currentSource() !== "replay") return;
      isFinished = await seedDemoRecord({ ...deps, replay, measureJob: MEASURE_JOB, abort });
    },
  };
}

/** Runs daily at 00:00 UTC, and when a worker starts, in case today's head is missing. */
const publishLedgerHeadJob = (
  deps: BaseDeps,
  { DATA_DIR: dataDir }: Pick<WorkerSettings, "DATA_DIR">,
): RecurringJob => ({
  name: "publish-ledger-head",
  every: "0 0 * * *",
  runsAtStart: true,
  work: oneAtATime(() => publishLedgerHead({ ...deps, dataDir })),
});

type WitnessSettings = Pick<
  WorkerSettings,
  "LEDGER_CALENDARS" | "LEDGER_GIT_REPOSITORY" | "LEDGER_WEBHOOK_URL"
>;

/** Submits the daily ledger heads to the witnesses. Logs when a witness starts or stops failing. */
export function witnessLedgerHeadsJob({
  settings,
  ...deps
}: BaseDeps & { settings: WitnessSettings }): RecurringJob {
  const { logger } = deps;
  const witnesses = witnessesOf(settings);
  let failing = new Set<string>();
  return {
    name: "witness-ledger-heads",
    every: "5 minutes",
    async work(abort) {
      const failures = await witnessHeads({ ...deps, witnesses, abort });
      if (abort.aborted) return;
      for (const { witness, error } of failures) {
        if (!failing.has(witness)) logger.warn({ err: error, witness }, "ledger witness failed");
      }
      const nowFailing = new Set(failures.map(({ witness }) => witness));
      for (const witness of failing) {
        if (!nowFailing.has(witness)) logger.info({ witness }, "ledger witness works again");
      }
      failing = nowFailing;
    },
  };
}

const witnessesOf = ({
  LEDGER_CALENDARS,
  LEDGER_GIT_REPOSITORY,
  LEDGER_WEBHOOK_URL,
}: WitnessSettings): Witness[] => [
  ...LEDGER_CALENDARS.map((url) => calendarWitness(url)),
  ...(LEDGER_GIT_REPOSITORY ? [gitWitness(LEDGER_GIT_REPOSITORY)] : []),
  ...(LEDGER_WEBHOOK_URL ? [webhookWitness(LEDGER_WEBHOOK_URL)] : []),
];
