import { ChangeFeed } from "@shared/database/change-feed.ts";
import type { Database } from "@shared/database/database.ts";
import { eventsOf, type LoggedEvent, STORED_EVENT_FIELDS } from "@shared/outbox/event-log.ts";
import type { Logger } from "@shared/runtime/logger.ts";

interface FeedListener {
  /** May be called twice for an event. */
  onEvent(event: LoggedEvent): void;
  /** Events may have been missed, or come late. Read them from the database. */
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
      fields: STORED_EVENT_FIELDS,
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

  #passOn(stored: unknown): void {
    for (const event of this.#read(stored)) {
      for (const listener of this.#listeners) listener.onEvent(event);
    }
  }

  #read(stored: unknown): LoggedEvent[] {
    try {
      return eventsOf(stored);
    } catch (error) {
      this.#logger.error({ err: error }, "invalid event");
      return [];
    }
  }
}
