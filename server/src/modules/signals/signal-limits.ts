import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { cachedRead } from "../../http/cached-read.ts";
import { rateLimited, unavailable } from "../../http/errors.ts";
import { readQueueDepth } from "../../http/server-metrics.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** Signals of one user that may be unfinished at once: as many as he may ask for in a minute. */
export const MAX_UNFINISHED_PER_USER = 60;

/** A signal takes a few seconds, so a place is free again about then. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Signals that may wait for each analysis that the living workers can do at once. An analysis takes about 5 s: the
 * last in line is made within the 60 s that its request waits.
 */
const MAX_WAITING_PER_SLOT = 10;

/** Accepted even while no worker is alive: enough to outlast the restart of all. */
export const MIN_CAPACITY = 50;

/** How often a flood of requests makes the server read the queue, in milliseconds. */
const REREAD_AFTER_MS = 500;

/**
 * Refuses work that would not be done in time, before all other work suffers from it.
 * @throws AppError unavailable with `Retry-After`
 */
export async function assertQueueCapacity(
  deps: Pick<ServerDeps, "database" | "now">,
): Promise<void> {
  if (await isQueueFull(deps)) throw unavailable();
}

const isQueueFull = cachedRead(
  REREAD_AFTER_MS,
  async ({ database, now }: Pick<ServerDeps, "database" | "now">): Promise<boolean> => {
    const { waiting } = await readQueueDepth(database, now());
    if (waiting < MIN_CAPACITY * MAX_WAITING_PER_SLOT) return false;
    const workers = await findActiveWorkers(database);
    const places = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    return waiting >= Math.max(places, MIN_CAPACITY) * MAX_WAITING_PER_SLOT;
  },
);

/**
 * Refuses a user who has as many unfinished signals as anybody may have.
 * @param ahead how many there are when one more is added: changes of one user take turns, so that many requests at
 *   once cannot slip through
 * @throws AppError rate-limited
 */
export function assertUserLimit({ settings }: Pick<ServerDeps, "settings">, ahead: number): void {
  if (settings.RATE_LIMIT === "off" || ahead < MAX_UNFINISHED_PER_USER) return;
  throw rateLimited(RETRY_AFTER_SECONDS);
}
