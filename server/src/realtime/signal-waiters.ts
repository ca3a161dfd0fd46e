import { EventEmitter, once } from "node:events";
import type { Database } from "@shared/node/database.ts";
import { startDeadline } from "@shared/node/deadline.ts";
import type { Logger } from "@shared/node/logger.ts";
import { Types } from "mongoose";
import { z } from "zod";
import type { SignalWaiters } from "../server-deps.ts";
import type { EventFeed, LoggedEvent } from "./event-feed.ts";

const finishedEventSchema = z.object({
  name: z.enum(["signal:completed", "signal:failed"]),
  data: z.object({ signal_id: z.string() }),
});

/** Wakes the requests that wait for a signal, by the same event that is pushed. */
export class FeedSignalWaiters implements SignalWaiters {
  readonly #database: Database;
  /** Rings a signal's id when it is finished. */
  readonly #bell = new EventEmitter().setMaxListeners(0);

  constructor(options: { database: Database; feed: EventFeed; logger: Logger }) {
    this.#database = options.database;
    options.feed.listen({
      onEvent: (event) => this.#hear(event),
      onGap: () => {
        this.#wakeFinished().catch((error: unknown) =>
          options.logger.warn({ err: error }, "could not look for finished signals"),
        );
      },
    });
  }

  /** True once the signal is finished, false when `timeoutMs` ran out or the caller went away. */
  async wait(
    signalId: string,
    options: { timeoutMs: number; abort?: AbortSignal },
  ): Promise<boolean> {
    const settled = new AbortController();
    const gone = options.abort ?? settled.signal;
    const deadline = startDeadline(AbortSignal.any([settled.signal, gone]), options.timeoutMs);
    const heard = once(this.#bell, signalId, { signal: deadline.signal }).then(
      () => true,
      () => false,
    );
    try {
      // The signal may have finished before anybody listened for it.
      return (await this.#isFinished(signalId)) || (await heard);
    } finally {
      deadline.clear();
      settled.abort();
    }
  }

  #hear(event: LoggedEvent): void {
    const parsed = finishedEventSchema.safeParse(event);
    if (parsed.success) this.#bell.emit(parsed.data.data.signal_id);
  }

  async #isFinished(signalId: string): Promise<boolean> {
    return (await this.#finishedAmong([signalId])).length > 0;
  }

  async #wakeFinished(): Promise<void> {
    const waiting = this.#bell.eventNames().map(String);
    for (const id of await this.#finishedAmong(waiting)) this.#bell.emit(id);
  }

  async #finishedAmong(signalIds: string[]): Promise<string[]> {
    if (signalIds.length === 0) return [];
    const finished = await this.#database.signals
      .find({
        _id: { $in: signalIds.map((id) => new Types.ObjectId(id)) },
        status: { $in: ["completed", "failed"] },
      })
      .select({ _id: 1 })
      .lean();
    return finished.map((signal) => signal._id.toString());
  }
}
