import type { Logger } from "@shared/runtime/logger.ts";
import { isDatabaseUnavailable } from "./http/database-errors.ts";

/** Work that continues after its request has been answered. Failures are logged. */
export class BackgroundTasks {
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  run(name: string, work: () => Promise<unknown>): void {
    const running: Promise<void> = this.#finish(name, work).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Long tasks end early if it is true. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves when no task is running, which is soon. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.settled();
  }

  async #finish(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The requests that fail report an outage.
      const level = isDatabaseUnavailable(error) ? "warn" : "error";
      this.#logger[level]({ err: error }, `${name} failed`);
    }
  }
}
