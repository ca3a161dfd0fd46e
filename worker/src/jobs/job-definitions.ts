import { cleanUpFiles } from "@shared/files/clean-up-files.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { publishMarkets } from "../market-data/publish-markets.ts";
import type { MarketDataSelection } from "../market-data/select-market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { watchEntries } from "../outcomes/entry-watch.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { calendarWitness } from "../record/calendar-witness.ts";
import { gitWitness } from "../record/git-witness.ts";
import { updatePerformanceStats } from "../record/performance-stats.ts";
import { publishLedgerHead } from "../record/publish-ledger-head.ts";
import { refitCalibrations } from "../record/refit-calibrations.ts";
import { webhookWitness } from "../record/webhook-witness.ts";
import { type Witness, type WitnessFailure, witnessHeads } from "../record/witness-heads.ts";
import {
  repairUnfinishedCounts,
  requeueStrandedSignals,
} from "../signals/requeue-stranded-signals.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

export function sweepSignalsJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  return {
    name: "sweep-signals",
    every: "10 seconds",
    lockMs: 60_000,
    async work() {
      await requeueStrandedSignals(deps);
      await repairUnfinishedCounts(deps);
    },
  };
}

export function cleanUpFilesJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  const { database, logger, now } = deps;
  return {
    name: "clean-up-files",
    every: "0 3 * * *",
    lockMs: 10 * 60_000,
    async work() {
      const deleted = await cleanUpFiles({ database, now });
      logger.info({ deleted }, "chart images cleaned up");
    },
  };
}

export function publishMarketsJob(deps: WorkerDeps): RecurringJob {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return {
    name: "publish-markets",
    every: "1 minute",
    lockMs: 5 * 60_000,
    async work(abort) {
      const failed = await publishMarkets({ database, logger, marketData, now, abort });
      const changed = failed.join() !== failedBefore;
      failedBefore = failed.join();
      if (changed && !abort.aborted) logger.info({ failed }, "markets without a new price");
    },
  };
}

export function watchEntriesJob(deps: WorkerDeps): RecurringJob {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return {
    name: "watch-entries",
    // Five seconds into every minute: the candles that closed with the minute before are there by then.
    every: "5 * * * * *",
    lockMs: 90_000,
    async work(abort) {
      const { left, failedMarkets } = await watchEntries({
        ...{ database, logger, marketData, now, abort },
      });
      if (left > 0) logger.info({ left }, "entries missed");
      const changed = failedMarkets.join() !== failedBefore;
      failedBefore = failedMarkets.join();
      if (changed && !abort.aborted) logger.info({ failedMarkets }, "markets that are not watched");
    },
  };
}

interface OutcomeDeps extends Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> {
  sources: MarketDataSelection["sources"];
}

export function resolveOutcomesJob({ sources, ...deps }: OutcomeDeps): RecurringJob {
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  return {
    name: "resolve-outcomes",
    every: "5 seconds",
    lockMs: 60_000,
    async work(abort) {
      const resolved = await resolveOutcomes({ ...deps, archive, backoff, abort });
      if (resolved > 0) deps.logger.info({ resolved }, "outcomes resolved");
    },
  };
}

export function measurePerformanceJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  const { database, logger, now } = deps;
  return {
    name: "measure-performance",
    every: "1 minute",
    lockMs: 5 * 60_000,
    async work(abort) {
      const days = await updatePerformanceStats({ database, logger, now, abort });
      if (days.length > 0) logger.debug({ days }, "performance measured");
      const fitted = await refitCalibrations({ database, logger, now, abort });
      if (fitted.length > 0) logger.info({ fitted }, "confidence calibrated");
    },
  };
}

export function publishLedgerHeadJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now"> & {
    settings: Pick<Settings, "DATA_DIR">;
  },
): RecurringJob {
  const { database, logger, now, settings } = deps;
  return {
    name: "publish-ledger-head",
    every: "0 0 * * *",
    lockMs: 60_000,
    runsAtStart: true,
    work: () => publishLedgerHead({ database, logger, now, dataDir: settings.DATA_DIR }),
  };
}

type WitnessSettings = Pick<
  Settings,
  "LEDGER_CALENDARS" | "LEDGER_GIT_REPOSITORY" | "LEDGER_WEBHOOK_URL"
>;

export function witnessLedgerHeadsJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now"> & { settings: WitnessSettings },
): RecurringJob {
  const { database, logger, now, settings } = deps;
  const witnesses = witnessesOf(settings);
  let failing = new Set<string>();
  const report = (failures: readonly WitnessFailure[]) => {
    for (const { witness, error } of failures) {
      if (!failing.has(witness)) logger.warn({ err: error, witness }, "ledger witness failed");
    }
    const nowFailing = new Set(failures.map(({ witness }) => witness));
    for (const witness of failing) {
      if (!nowFailing.has(witness)) logger.info({ witness }, "ledger witness works again");
    }
    failing = nowFailing;
  };
  return {
    name: "witness-ledger-heads",
    every: "5 minutes",
    lockMs: 2 * 60_000,
    async work(abort) {
      const failures = await witnessHeads({ database, witnesses, now, abort });
      if (!abort.aborted) report(failures);
    },
  };
}

function witnessesOf(settings: WitnessSettings): Witness[] {
  const { LEDGER_CALENDARS, LEDGER_GIT_REPOSITORY, LEDGER_WEBHOOK_URL } = settings;
  return [
    ...LEDGER_CALENDARS.map((url) => calendarWitness(url)),
    ...(LEDGER_GIT_REPOSITORY ? [gitWitness(LEDGER_GIT_REPOSITORY)] : []),
    ...(LEDGER_WEBHOOK_URL ? [webhookWitness(LEDGER_WEBHOOK_URL)] : []),
  ];
}
