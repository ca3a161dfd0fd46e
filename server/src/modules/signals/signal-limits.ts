import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { cachedRead } from "../../http/cached-read.ts";
import { rateLimited, unavailable } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readQueueDepth } from "./queue-depth.ts";

/** As many as a user may request per minute. */
export const MAX_UNFINISHED_PER_USER = 60;

/** A signal takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Waiting signals per analysis slot of all workers. An analysis takes about 5 s, so the last one is made within the 60 s
 * that its request waits.
 */
const MAX_WAITING_PER_SLOT = 10;

/** Slots assumed without active workers: enough for the time of a restart. */
export const MIN_CAPACITY = 50;

const REREAD_AFTER_MS = 500;

/** Rejects requests that could not be processed in time. @throws AppError unavailable */
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
    const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    return waiting >= Math.max(slots, MIN_CAPACITY) * MAX_WAITING_PER_SLOT;
  },
);

/**
 * Limits a user's unfinished signals.
 * @param ahead unfinished signals including the new one; changes of one user run one at a time
 * @throws AppError rate-limited
 */
export function assertUserLimit({ settings }: Pick<ServerDeps, "settings">, ahead: number): void {
  if (settings.RATE_LIMIT === "off" || ahead < MAX_UNFINISHED_PER_USER) return;
  throw rateLimited(RETRY_AFTER_SECONDS);
}
