import { JobBatch, type JobBatchOptions } from "./job-batch.ts";

/**
 * How long a job may be at work before its lock is written. Much less than a worker that has just come waits for the
 * others to know of it, so that nobody else looks for jobs meanwhile.
 */
const LOCK_WITHIN_MS = 50;

/**
 * Locks of jobs that a lone worker has begun: nobody else could have them, so they are written a little later, all of a
 * moment in one command, and not at all for jobs that have ended by then. Should the worker die before, its jobs are
 * free at once.
 */
export class LateLocks extends JobBatch {
  constructor(options: { lockAll: JobBatchOptions["act"]; onError: JobBatchOptions["onError"] }) {
    const { lockAll, onError } = options;
    super({ withinMs: LOCK_WITHIN_MS, act: lockAll, onError });
  }

  override add(id: string): void {
    super.add(id);
    this.actSoon();
  }
}
