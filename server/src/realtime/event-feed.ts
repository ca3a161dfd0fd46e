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
/** An outbox event as it is stored. */
export type LoggedEvent = z.infer<typeof loggedEventSchema>;

export interface FeedListener {
  /** An event may arrive twice. */
  onEvent(event: LoggedEvent): void;
  /** The feed has been opened: events may have been missed before, read them from the database. */
  onReopened(): void;
}

/**
 * Passes on every committed event, in order. The events in the database remain the truth: after each interruption the
 * listeners read from them what they have missed.
 */
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
      onInsert: (document) => this.#passOn(document),
      onOpen: () => {
        for (const listener of this.#listeners) listener.onReopened();
      },
    });
  }

  /** Whether events arrive at this moment. */
  get isRunning(): boolean {
    return this.#changes.isOpen;
  }

  /** @returns ends the subscription */
  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the feed and resolves once events arrive; it reopens by itself from then on. */
  start(): Promise<void> {
    return this.#changes.start();
  }

  stop(): Promise<void> {
    return this.#changes.stop();
  }

  #passOn(document: unknown): void {
    const parsed = loggedEventSchema.safeParse(document);
    if (!parsed.success) {
      this.#logger.error({ err: parsed.error }, "an event has an unknown form");
      return;
    }
    for (const listener of this.#listeners) listener.onEvent(parsed.data);
  }
}
