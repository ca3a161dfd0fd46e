import type { Agenda, Job } from "agenda";
import type { WorkerDeps } from "../worker-deps.ts";

/** Work that is done again and again by the clock. */
export interface Round {
  name: string;
  /** An interval, such as `1 minute`, or a cron line in UTC. */
  every: string;
  /** How long a dead worker's round keeps the others from the next one, in milliseconds. */
  lockMs: number;
  /** Whether a live worker renews its lock, since a round may take longer. */
  renewsLock?: boolean;
  work: (abort: AbortSignal) => Promise<void>;
}

/** A lock is renewed this often while it lasts. */
const RENEWALS = 4;

/**
 * Defines and schedules a round; however many workers there are, one of them does it at a time. `stop` ends a round that
 * is under way.
 */
export async function defineRound(
  agenda: Agenda,
  { logger }: Pick<WorkerDeps, "logger">,
  { name, every, lockMs, renewsLock = false, work }: Round,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  const touch = (job: Job) => {
    job.touch().catch((error: unknown) => logger.warn({ err: error }, "touch failed"));
  };
  const run = async (job: Job) => {
    const touching = renewsLock ? setInterval(() => touch(job), lockMs / RENEWALS) : undefined;
    const running = work(stopping.signal).finally(() => clearInterval(touching));
    round = running.catch(() => undefined);
    await running;
  };
  agenda.define(name, run, { concurrency: 1, lockLimit: 1, lockLifetime: lockMs });
  const isCron = every.includes("*");
  await agenda.every(every, name, {}, isCron ? { timezone: "UTC" } : {});
  return {
    async stop() {
      stopping.abort();
      await round;
    },
  };
}
