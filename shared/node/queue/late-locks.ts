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
export class LateLocks {
  readonly #ids = new Set<string>();
  readonly #lockAll: (ids: string[]) => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #locking: Promise<void> = Promise.resolve();

  constructor(options: {
    lockAll: (ids: string[]) => Promise<unknown>;
    onError: (error: unknown) => void;
  }) {
    this.#lockAll = options.lockAll;
    this.#onError = options.onError;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), LOCK_WITHIN_MS);
  }

  /** Leaves out a job that has ended. */
  drop(id: string): void {
    this.#ids.delete(id);
  }

  /** Writes at once what is left, and waits for what is on its way. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#locking = this.#locking.then(() => this.#lock());
    await this.#locking;
  }

  async #lock(): Promise<void> {
    const ids = [...this.#ids];
    this.#ids.clear();
    if (ids.length === 0) return;
    try {
      await this.#lockAll(ids);
    } catch (error) {
      this.#onError(error);
    }
  }
}
