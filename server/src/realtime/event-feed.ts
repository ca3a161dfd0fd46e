import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import { z } from "zod";

const loggedEventSchema = z.object({
  stream: z.string(),
  seq: z.number().int().positive().optional(),
  name: z.string(),
  data: z.unknown(),
  at: z.date(),
  requestId: z.string().optional(),
});
/** One line of the event log as the feed hands it on. */
export type LoggedEvent = z.infer<typeof loggedEventSchema>;

const insertSchema = z.object({ fullDocument: loggedEventSchema });

const REOPEN_DELAY_MS = { first: 100, most: 2_000 } as const;

/** What hangs on the feed. */
export interface FeedListener {
  onEvent(event: LoggedEvent): void;
  /** The feed was interrupted: events may have been missed, read them from the log. */
  onGap(): void;
}

/**
 * The server's one ear on the event log: a change stream that hands every committed event to its listeners, in
 * order. The log itself stays the truth. After each interruption the listeners are told to read on from it,
 * so no resume token has to be kept and none can be too old.
 */
export class EventFeed {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #listeners = new Set<FeedListener>();
  readonly #stopping = new AbortController();
  #running = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: { database: Database; logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
  }

  /** Whether events arrive at this moment. */
  get isRunning(): boolean {
    return this.#running;
  }

  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the feed and resolves once it hears events; from then on it heals by itself. */
  async start(): Promise<void> {
    await new Promise<void>((onFirstOpen) => {
      this.#loop = this.#keepOpen(onFirstOpen);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #keepOpen(onFirstOpen: () => void): Promise<void> {
    let waitMs: number = REOPEN_DELAY_MS.first;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#hearUntilClosed(() => {
          waitMs = REOPEN_DELAY_MS.first;
          onFirstOpen();
        });
      } catch (error) {
        this.#logger.warn({ err: error }, "event feed interrupted, opening it again");
      }
      await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, REOPEN_DELAY_MS.most);
    }
  }

  async #hearUntilClosed(onOpen: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const changes = this.#database.events.collection.watch([
      { $match: { operationType: "insert", "fullDocument.stream": { $exists: true } } },
    ]);
    try {
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        // The first resume token tells that the server has opened the stream: from here nothing is missed.
        changes.once("resumeTokenChanged", () => this.#opened(onOpen));
        changes.on("change", (change) => this.#hand(change));
        changes.once("error", reject);
        changes.once("close", resolve);
      });
    } finally {
      this.#running = false;
      await changes.close();
    }
  }

  #opened(onOpen: () => void): void {
    this.#running = true;
    onOpen();
    for (const listener of this.#listeners) listener.onGap();
  }

  #hand(change: unknown): void {
    const parsed = insertSchema.safeParse(change);
    if (!parsed.success) {
      this.#logger.error({ err: parsed.error }, "the event log holds a line that cannot be read");
      return;
    }
    const event = parsed.data.fullDocument;
    for (const listener of this.#listeners) listener.onEvent(event);
  }
}
