import { JobBatch, type JobBatchOptions } from "./job-batch.ts";

/** Jobs that end within this time are removed together; nobody waits for it. */
const REMOVE_WITHIN_MS = 200;

/**
 * Jobs that have ended well and are about to be removed, all of a moment in one command. One whose removal fails, or
 * whose worker dies before it, is taken once more when it has no lock any more, and finds its work done.
 */
export class EndedJobs extends JobBatch {
  constructor(options: {
    removeAll: JobBatchOptions["act"];
    onError: JobBatchOptions["onError"];
  }) {
    const { removeAll, onError } = options;
    super({ withinMs: REMOVE_WITHIN_MS, act: removeAll, onError });
  }

  removeSoon(): void {
    this.actSoon();
  }
}
