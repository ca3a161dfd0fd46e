import { ChangeFeed } from "@shared/database/change-feed.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { z } from "zod";

const loggedEventSchema = z.object({
  stream: z.string(),
  seq: z.number().int().positive().optional(),
  name: z.string(),
  data: z.unknown(),
  at: z.date(),
  requestId: z.string().optional(),
});
export type LoggedEvent = z.infer<typeof loggedEventSchema>;

interface FeedListener {
  /** May be called twice for an event. */
  onEvent(event: LoggedEvent): void;
  /** Events may have been missed. Read them from the database. */
  onReopened(): void;
}

/** Delivers committed events in order. After an interruption, listeners read missed events from the database. */
export class EventFeed {
  readonly #listeners = new Set<FeedListener>();
  readonly #logger: Logger;
  readonly #changes: ChangeFeed;

  constructor(options: { database: Database; logger: Logger }) {
    const { database, logger } = options;
    this.#logger = logger;
    this.#changes = new ChangeFeed({
      database,
      logger,
      collection: database.events.collection.collectionName,
      fields: Object.keys(loggedEventSchema.shape),
      onWrite: (document) => this.#passOn(document),
      onOpen: () => {
        for (const listener of this.#listeners) listener.onReopened();
      },
    });
  }

  get isRunning(): boolean {
    return this.#changes.isOpen;
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when events arrive. The feed reopens after each interruption. */
  start(): Promise<void> {
    return this.#changes.start();
  }

  stop(): Promise<void> {
    return this.#changes.stop();
  }

  #passOn(document: unknown): void {
    const parsed = loggedEventSchema.safeParse(document);
    if (!parsed.success) {
      this.#logger.error({ err: parsed.error }, "invalid event");
      return;
    }
    for (const listener of this.#listeners) listener.onEvent(parsed.data);
  }
}
