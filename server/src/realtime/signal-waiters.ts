import { EventEmitter } from "node:events";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import { startDeadline } from "@shared/node/deadline.ts";
import type { Logger } from "@shared/node/logger.ts";
import { presentSignal } from "@shared/node/signals/present-signal.ts";
import { z } from "zod";
import type { SignalWaiters } from "../server-deps.ts";
import type { EventFeed, LoggedEvent } from "./event-feed.ts";

const finishedEventSchema = z.object({
  name: z.enum(["signal:completed", "signal:failed"]),
  data: signalResponseSchema,
});

/** Answers the requests that wait for a signal with the same event that is pushed. */
export class FeedSignalWaiters implements SignalWaiters {
  readonly #database: Database;
  /** Tells a finished signal to those who listen for its id. */
  readonly #bell = new EventEmitter<Record<string, [SignalResponse]>>().setMaxListeners(0);

  constructor(options: { database: Database; feed: EventFeed; logger: Logger }) {
    this.#database = options.database;
    options.feed.listen({
      onEvent: (event) => this.#hear(event),
      onGap: () => {
        this.#tellFinished().catch((error: unknown) =>
          options.logger.warn({ err: error }, "could not look for finished signals"),
        );
      },
    });
  }

  /** The signal once it is finished; null when `timeoutMs` ran out or the caller went away. */
  async wait(
    signalId: string,
    options: { timeoutMs: number; abort?: AbortSignal },
  ): Promise<SignalResponse | null> {
    const settled = new AbortController();
    const gone = options.abort ?? settled.signal;
    const deadline = startDeadline(AbortSignal.any([settled.signal, gone]), options.timeoutMs);
    const heard = new Promise<SignalResponse | null>((resolve) => {
      this.#bell.once(signalId, resolve);
      const giveUp = () => {
        this.#bell.off(signalId, resolve);
        resolve(null);
      };
      if (deadline.signal.aborted) giveUp();
      else deadline.signal.addEventListener("abort", giveUp);
    });
    try {
      // The signal may have finished before anybody listened for it.
      const [finished = null] = await this.#finishedAmong([signalId]);
      return finished ?? (await heard);
    } finally {
      deadline.clear();
      settled.abort();
    }
  }

  #hear(event: LoggedEvent): void {
    const parsed = finishedEventSchema.safeParse(event);
    if (parsed.success) this.#bell.emit(parsed.data.data.signal_id, parsed.data.data);
  }

  async #tellFinished(): Promise<void> {
    const waiting = this.#bell.eventNames().map(String);
    for (const signal of await this.#finishedAmong(waiting)) {
      this.#bell.emit(signal.signal_id, signal);
    }
  }

  async #finishedAmong(signalIds: string[]): Promise<SignalResponse[]> {
    if (signalIds.length === 0) return [];
    const finished = await this.#database.signals
      .find({ _id: { $in: signalIds }, status: { $in: ["completed", "failed"] } })
      .select({ receipt: 0 })
      .lean();
    return finished.map(presentSignal);
  }
}
