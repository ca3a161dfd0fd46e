/** Jobs that end within this time are removed together; nobody waits for it. */
const REMOVE_WITHIN_MS = 200;

/**
 * Jobs that have ended well and are about to be removed, all of a moment in one command. One whose removal fails, or
 * whose worker dies before it, is taken once more when it has no lock any more, and finds its work done.
 */
export class EndedJobs {
  readonly #ids = new Set<string>();
  readonly #removeAll: (ids: string[]) => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #removal: Promise<void> = Promise.resolve();

  constructor(options: {
    removeAll: (ids: string[]) => Promise<unknown>;
    onError: (error: unknown) => void;
  }) {
    this.#removeAll = options.removeAll;
    this.#onError = options.onError;
  }

  /** How many are not removed yet. */
  get size(): number {
    return this.#ids.size;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  removeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), REMOVE_WITHIN_MS);
  }

  /** Removes at once what is left, and waits for what is on its way. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#removal = this.#removal.then(() => this.#remove());
    await this.#removal;
  }

  async #remove(): Promise<void> {
    const ids = [...this.#ids];
    if (ids.length === 0) return;
    try {
      await this.#removeAll(ids);
    } catch (error) {
      this.#onError(error);
    }
    for (const id of ids) this.#ids.delete(id);
  }
}
