import type { Settings } from "@shared/node/settings.ts";
import type { Agenda } from "agenda";
import { publishLedgerHead } from "../publish-ledger-head.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const PUBLISH_LEDGER_HEAD_JOB = "publish-ledger-head";
const EVERY_MIDNIGHT = "0 0 * * *";
/** Longer than all tries of the webhook take. */
const LOCK_MS = 5 * 60_000;

/**
 * Publishes the ledger's head at once, should it be missing today, and every day at 00:00 UTC from then on. `stop` ends
 * what is under way.
 */
export async function definePublishLedgerHeadJob(
  agenda: Agenda,
  deps: Pick<WorkerDeps, "database" | "logger" | "now"> & {
    settings: Pick<Settings, "DATA_DIR" | "LEDGER_WEBHOOK_URL">;
  },
): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, now, settings } = deps;
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  const publish = () =>
    publishLedgerHead({
      database,
      logger,
      now,
      dataDir: settings.DATA_DIR,
      webhookUrl: settings.LEDGER_WEBHOOK_URL,
      abort: stopping.signal,
    });
  const run = () => {
    round = publish().catch((error: unknown) => {
      if (!stopping.signal.aborted) logger.error({ err: error }, "ledger head not published");
    });
    return round;
  };
  const options = { concurrency: 1, lockLimit: 1, lockLifetime: LOCK_MS };
  agenda.define(PUBLISH_LEDGER_HEAD_JOB, run, options);
  await agenda.every(EVERY_MIDNIGHT, PUBLISH_LEDGER_HEAD_JOB, {}, { timezone: "UTC" });
  const first = run();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([first, round]);
    },
  };
}
