import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";

const REFRESH_EVERY_MS = 60 * 60_000;
const RETRY_AFTER_MS = 60_000;

/** Stores the listed symbols for the servers, and refreshes them. */
export function startListingPublisher(options: {
  database: Database;
  logger: Logger;
  now: () => Date;
  listedSymbols: () => Promise<string[]>;
}): { stop: () => void } {
  const { database, logger, now } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const publish = async () => {
    const symbols = await options.listedSymbols();
    await database.marketListings.updateOne(
      { _id: "symbols" },
      { $set: { symbols, updatedAt: now() } },
      { upsert: true },
    );
  };
  const publishAgainIn = (delayMs: number) => {
    if (!stopped) timer = setTimeout(run, delayMs);
  };
  const run = () => {
    publish().then(
      () => publishAgainIn(REFRESH_EVERY_MS),
      (error: unknown) => {
        logger.warn({ err: error }, "could not publish the list of symbols");
        publishAgainIn(RETRY_AFTER_MS);
      },
    );
  };
  run();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
