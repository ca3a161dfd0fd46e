import type { Logger } from "@shared/runtime/logger.ts";
import { isDatabaseUnavailable } from "../../http/database-errors.ts";

/** Work that goes on after its request has been answered; a failure is logged, since nobody waits for it. */
export class BackgroundTasks {
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Starts `work`; `name` says in the log what has failed. */
  run(name: string, work: () => Promise<unknown>): void {
    const running: Promise<void> = this.#finish(name, work).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  /** Resolves once nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #finish(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // An outage is reported as such by the requests that it fails.
      const level = isDatabaseUnavailable(error) ? "warn" : "error";
      this.#logger[level]({ err: error }, `${name} failed`);
    }
  }
}
