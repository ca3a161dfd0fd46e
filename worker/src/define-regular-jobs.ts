import type { Settings } from "@shared/node/settings.ts";
import type { Agenda } from "agenda";
import { defineCleanUpFilesJob } from "./jobs/clean-up-files-job.ts";
import { defineMeasurePerformanceJob } from "./jobs/measure-performance-job.ts";
import { definePublishLedgerHeadJob } from "./jobs/publish-ledger-head-job.ts";
import { definePublishMarketsJob } from "./jobs/publish-markets-job.ts";
import { defineResolveOutcomesJob } from "./jobs/resolve-outcomes-job.ts";
import { defineSweepSignalsJob } from "./jobs/sweep-signals-job.ts";
import { defineWatchEntriesJob } from "./jobs/watch-entries-job.ts";
import type { MarketDataSelection } from "./providers/select-market-data.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/** What is done by the clock, by one worker at a time; `stop` ends what is under way. */
export async function defineRegularJobs(
  queue: Agenda,
  deps: WorkerDeps,
  { sources, settings }: Pick<MarketDataSelection, "sources"> & { settings: Settings },
): Promise<{ stop: () => Promise<void> }> {
  await defineSweepSignalsJob(queue, deps);
  await defineCleanUpFilesJob(queue, deps);
  const outcomes = { sources, feePercent: settings.OUTCOME_FEE_PERCENT };
  const jobs = [
    await definePublishMarketsJob(queue, deps),
    await defineWatchEntriesJob(queue, deps),
    await defineResolveOutcomesJob(queue, { ...deps, ...outcomes }),
    await defineMeasurePerformanceJob(queue, deps),
    await definePublishLedgerHeadJob(queue, { ...deps, settings }),
  ];
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
