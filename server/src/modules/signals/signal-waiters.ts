import { EventEmitter } from "node:events";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import type { LoggedEvent } from "@shared/outbox/event-log.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { z } from "zod";
import type { EventFeed } from "../../realtime/event-feed.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import { signalIdOf } from "./signal-id-of.ts";

const finishedEventSchema = z.object({
  name: z.enum(["signal:completed", "signal:failed"]),
  data: signalResponseSchema,
});

/** A signal may finish between its insert and the start of waiting. After this time it is read once. */
const REREAD_AFTER_MS = 1_000;

export interface SignalDeps extends ImageDeps {
  signalWaiters: Pick<SignalWaiters, "wait">;
}

/** Resolves waiting requests with the events that are pushed. */
export class SignalWaiters {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #emitter = new EventEmitter<Record<string, [SignalResponse | null]>>().setMaxListeners(
    0,
  );
  #isStopped = false;

  constructor(options: { database: Database; feed: EventFeed; logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
    options.feed.subscribe({
      onEvent: (event) => this.#onEvent(event),
      onReopened: () => this.#reread(this.#emitter.eventNames().map(String)),
    });
  }

  /** Ends all waiting, so that the requests are answered before the server stops. */
  stop(): void {
    this.#isStopped = true;
    for (const id of this.#emitter.eventNames()) this.#emitter.emit(String(id), null);
  }

  /** Resolves to the finished signal, or to null on timeout, on abort, and when the server stops. */
  wait(
    signalId: string,
    options: { timeoutMs: number; abort: AbortSignal },
  ): Promise<SignalResponse | null> {
    const { timeoutMs, abort } = options;
    return new Promise((resolve) => {
      const settle = (signal: SignalResponse | null) => {
        clearTimeout(reread);
        clearTimeout(deadline);
        this.#emitter.off(signalId, settle);
        abort.removeEventListener("abort", cancel);
        resolve(signal);
      };
      const cancel = () => settle(null);
      this.#emitter.once(signalId, settle);
      const reread = setTimeout(() => this.#reread([signalId]), REREAD_AFTER_MS);
      const deadline = setTimeout(cancel, timeoutMs);
      if (abort.aborted || this.#isStopped) cancel();
      else abort.addEventListener("abort", cancel);
    });
  }

  #onEvent(event: LoggedEvent): void {
    const id = signalIdOf(event.data);
    if (id === undefined || this.#emitter.listenerCount(id) === 0) return;
    const parsed = finishedEventSchema.safeParse(event);
    if (parsed.success) this.#emitter.emit(parsed.data.data.signal_id, parsed.data.data);
  }

  #reread(signalIds: string[]): void {
    this.#emitFinished(signalIds).catch((error: unknown) =>
      this.#logger.warn({ err: error }, "finished signals not read"),
    );
  }

  async #emitFinished(signalIds: string[]): Promise<void> {
    for (const signal of await this.#readFinished(signalIds)) {
      this.#emitter.emit(signal.signal_id, signal);
    }
  }

  async #readFinished(signalIds: string[]): Promise<SignalResponse[]> {
    if (signalIds.length === 0) return [];
    const finished = await this.#database.signals
      .find({ _id: { $in: signalIds }, status: { $in: ["completed", "failed"] } })
      .lean();
    return finished.map(presentSignal);
  }
}
