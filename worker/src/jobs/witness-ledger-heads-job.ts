import type { Settings } from "@shared/node/settings.ts";
import { calendarWitness } from "../witnesses/calendar-witness.ts";
import { gitWitness } from "../witnesses/git-witness.ts";
import { webhookWitness } from "../witnesses/webhook-witness.ts";
import type { Witness } from "../witnesses/witness.ts";
import { type WitnessFailure, witnessHeads } from "../witnesses/witness-heads.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

export type WitnessSettings = Pick<
  Settings,
  "LEDGER_CALENDARS" | "LEDGER_GIT_REPOSITORY" | "LEDGER_WEBHOOK_URL"
>;

/**
 * Hands the daily heads of the ledger to the witnesses of the settings. A witness that fails is logged once, and once more when
 * it works again.
 */
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
