import { repeat } from "../repeat.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const REFRESH_INTERVAL_MS = 60 * 60_000;
const RETRY_MS = 60_000;

/** Stores the listed symbols for the servers, and refreshes them. */
export function startListingPublisher(
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
  listedSymbols: () => Promise<string[]>,
): { stop: () => void } {
  return repeat({
    async work() {
      const symbols = await listedSymbols();
      await database.marketListings.updateOne(
        { _id: "symbols" },
        { $set: { symbols, updatedAt: now() } },
        { upsert: true },
      );
    },
    intervalMs: REFRESH_INTERVAL_MS,
    retryMs: RETRY_MS,
    onError: (error) => logger.warn({ err: error }, "could not publish the list of symbols"),
  });
}
