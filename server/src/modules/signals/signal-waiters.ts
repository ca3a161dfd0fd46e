import { EventEmitter } from "node:events";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { z } from "zod";
import type { EventFeed, LoggedEvent } from "../../realtime/event-feed.ts";
import type { SignalWaiters } from "../../server-deps.ts";

const finishedEventSchema = z.object({
  name: z.enum(["signal:completed", "signal:failed"]),
  data: signalResponseSchema,
});

/**
 * A signal may have finished after it was stored and before anybody listened for it, if this process was held up just
 * then: whoever still waits after this time has it looked up. All others hear of it in time, and cost no reading.
 */
const LOOK_AFTER_MS = 1_000;

/** Answers the requests that wait for a signal with the same event that is pushed. */
export class FeedSignalWaiters implements SignalWaiters {
  readonly #database: Database;
  readonly #logger: Logger;
  /** Tells a finished signal to those who listen for its id. */
  readonly #bell = new EventEmitter<Record<string, [SignalResponse]>>().setMaxListeners(0);

  constructor(options: { database: Database; feed: EventFeed; logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
    options.feed.subscribe({
      onEvent: (event) => this.#hear(event),
      onReopened: () => this.#lookFor(this.#bell.eventNames().map(String)),
    });
  }

  /** The signal, which was not finished yet when it was read, once it is; null when `timeoutMs` ran out or the caller went away. */
  wait(
    signalId: string,
    options: { timeoutMs: number; abort: AbortSignal },
  ): Promise<SignalResponse | null> {
    const { timeoutMs, abort } = options;
    return new Promise((resolve) => {
      const settle = (signal: SignalResponse | null) => {
        clearTimeout(look);
        clearTimeout(deadline);
        this.#bell.off(signalId, settle);
        abort.removeEventListener("abort", giveUp);
        resolve(signal);
      };
      const giveUp = () => settle(null);
      this.#bell.once(signalId, settle);
      const look = setTimeout(() => this.#lookFor([signalId]), LOOK_AFTER_MS);
      const deadline = setTimeout(giveUp, timeoutMs);
      if (abort.aborted) giveUp();
      else abort.addEventListener("abort", giveUp);
    });
  }

  #hear(event: LoggedEvent): void {
    const parsed = finishedEventSchema.safeParse(event);
    if (parsed.success) this.#bell.emit(parsed.data.data.signal_id, parsed.data.data);
  }

  #lookFor(signalIds: string[]): void {
    this.#tellFinished(signalIds).catch((error: unknown) =>
      this.#logger.warn({ err: error }, "could not look for finished signals"),
    );
  }

  async #tellFinished(signalIds: string[]): Promise<void> {
    for (const signal of await this.#finishedAmong(signalIds)) {
      this.#bell.emit(signal.signal_id, signal);
    }
  }

  async #finishedAmong(signalIds: string[]): Promise<SignalResponse[]> {
    if (signalIds.length === 0) return [];
    const finished = await this.#database.signals
      .find({ _id: { $in: signalIds }, status: { $in: ["completed", "failed"] } })
      .lean();
    return finished.map(presentSignal);
  }
}
