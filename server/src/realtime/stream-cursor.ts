import type { Database } from "@shared/database/database.ts";
import { type NumberedEvent, readEvents } from "@shared/outbox/event-log.ts";
import { readStreamHead } from "@shared/outbox/streams.ts";
import { Semaphore } from "async-mutex";
import type { SendBuffer } from "./send-buffer.ts";

export type EventLogReader = ReturnType<typeof createEventLogReader>;

interface CursorOptions {
  stream: string;
  log: EventLogReader;
  /** While it is full, nothing is read or sent. */
  buffer: Pick<SendBuffer, "isFull" | "drained">;
  gate: SendGate;
  send: (event: NumberedEvent) => void;
  resync: (head: number) => void;
}

/** Whether the reader may be sent anything now. Events wait in the log. */
export interface SendGate {
  readonly isOpen: boolean;
  /** Resolves when it is open. */
  opened(): Promise<void>;
}

/** The database returns as many with its first answer. */
const PAGE_SIZE = 100;

/** More would delay live events, which do not wait for them. */
const PAGES_AT_ONCE = 2;

/**
 * Position of a reader in a stream. Sends each event once, in order and without gaps: the next one directly, others from
 * the event log.
 */
export class StreamCursor {
  readonly #options: CursorOptions;
  #last: number;
  #reading: Promise<void> | undefined;
  #hasNewEvents = false;
  #closed = false;

  /** Starts at the end of the stream without `since`. */
  static async open(options: CursorOptions & { since: number | undefined }): Promise<StreamCursor> {
    const since = options.since ?? (await options.log.head(options.stream));
    return new StreamCursor({ ...options, since });
  }

  private constructor(options: CursorOptions & { since: number }) {
    this.#options = options;
    this.#last = options.since;
  }

  receive(event: NumberedEvent): Promise<void> | undefined {
    if (this.#reading) {
      this.#hasNewEvents = true;
      return undefined;
    }
    if (event.seq <= this.#last) return undefined;
    const { buffer, gate } = this.#options;
    if (event.seq !== this.#last + 1 || buffer.isFull || !gate.isOpen) return this.catchUp();
    this.#pass(event);
    return undefined;
  }

  /** Reads the rest of the log. Rejects if the database is unavailable. */
  catchUp(): Promise<void> {
    if (this.#reading) {
      this.#hasNewEvents = true;
      return this.#reading;
    }
    this.#reading = this.#readToEnd();
    return this.#reading;
  }

  close(): void {
    this.#closed = true;
  }

  async #readToEnd(): Promise<void> {
    try {
      let mayHaveMore = true;
      while (!this.#closed && mayHaveMore) {
        await this.#options.buffer.drained();
        await this.#options.gate.opened();
        this.#hasNewEvents = false;
        const isComplete = await this.#passPage();
        mayHaveMore = this.#hasNewEvents || !isComplete;
      }
    } finally {
      // Synchronous with the last check of `#hasNewEvents`, so that no event is lost in between.
      this.#reading = undefined;
    }
  }

  /**
   * Sends the next events until the buffer is full or the gate closed; the others are read again. A resync replaces events that
   * are no longer kept.
   * @returns whether these were the last ones
   */
  async #passPage(): Promise<boolean> {
    const { stream, log, buffer, gate, resync } = this.#options;
    const head = await log.head(stream);
    if (head === this.#last) return true;
    const limit = Math.min(PAGE_SIZE, head - this.#last);
    const events = limit > 0 ? await log.readAfter({ stream, after: this.#last, limit }) : [];
    if (this.#closed || !gate.isOpen) return false;
    if (events[0]?.seq !== this.#last + 1) {
      this.#last = head;
      resync(head);
      return true;
    }
    for (const event of events) {
      if (buffer.isFull) return false;
      this.#pass(event);
    }
    return events.length < PAGE_SIZE;
  }

  #pass(event: NumberedEvent): void {
    if (this.#closed || event.seq !== this.#last + 1) return;
    this.#last = event.seq;
    this.#options.send(event);
  }
}

export function createEventLogReader(database: Database) {
  const pages = new Semaphore(PAGES_AT_ONCE);
  return {
    readAfter: (range: { stream: string; after: number; limit: number }) =>
      pages.runExclusive(() => readEvents(database, range)),
    head: (stream: string) => readStreamHead(database, stream),
  };
}
