/** What a batch of jobs is for. */
export interface JobBatchOptions {
  /** How long a job may wait for others to go with it. */
  withinMs: number;
  /** What is done with all of a moment, in one command. */
  act: (ids: string[]) => Promise<unknown>;
  onError: (error: unknown) => void;
}

/** Jobs that gather for a moment until something is done with all of them; nobody waits for it. */
export class JobBatch {
  readonly #options: JobBatchOptions;
  readonly #ids = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #acting: Promise<void> = Promise.resolve();

  constructor(options: JobBatchOptions) {
    this.#options = options;
  }

  /** How many it has not been done with yet. */
  get size(): number {
    return this.#ids.size;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Leaves one out. */
  drop(id: string): void {
    this.#ids.delete(id);
  }

  actSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.withinMs);
  }

  /** Does it at once with what is left, and waits for what is on its way. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#acting = this.#acting.then(() => this.#act());
    await this.#acting;
  }

  async #act(): Promise<void> {
    const ids = [...this.#ids];
    if (ids.length === 0) return;
    try {
      await this.#options.act(ids);
    } catch (error) {
      this.#options.onError(error);
    }
    for (const id of ids) this.#ids.delete(id);
  }
}
