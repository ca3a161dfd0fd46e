import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { appendRecords } from "./append-records.ts";

const LOOK_EVERY_MS = 1_000;

const RETRY_AFTER_MS = 5_000;

/** Appends finished analyses and outcomes to the ledger. Safe to run in every worker. */
export function startLedgerAppender(options: {
  database: Database;
  logger: Logger;
  now: () => Date;
}): {
  stop: () => Promise<void>;
} {
  const { database, logger, now } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  const appendAll = async () => {
    let appended: number;
    do {
      appended = await appendRecords({ database, now });
      if (appended > 0) logger.debug({ appended }, "ledger grew");
    } while (appended > 0 && !stopped);
  };
  const runIn = (delayMs: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      round = appendAll().then(
        () => runIn(LOOK_EVERY_MS),
        (error: unknown) => {
          logger.warn({ err: error }, "could not append to the ledger");
          runIn(RETRY_AFTER_MS);
        },
      );
    }, delayMs);
  };
  runIn(0);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
