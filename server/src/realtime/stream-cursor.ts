import type { Database } from "@shared/database/database.ts";
import { readHeads } from "@shared/outbox/streams.ts";
import type { LoggedEvent } from "./event-feed.ts";

/** A numbered event of one stream. */
export type NumberedEvent = LoggedEvent & { seq: number };

/** Reading side of the event log, as a cursor needs it. */
export interface EventLogReader {
  /** Events of `stream` after `seq`, in order, at most `limit`. */
  readAfter(options: { stream: string; seq: number; limit: number }): Promise<NumberedEvent[]>;
  /** Last number given out in `stream`. */
  head(stream: string): Promise<number>;
}

const PAGE_SIZE = 200;

/**
 * One reader's place in one stream. Whatever order events are heard in, it passes on each number once, in
 * order, without a gap: what is heard next in line goes through at once, anything else is read from the log.
 */
export class StreamCursor {
  readonly #stream: string;
  readonly #log: EventLogReader;
  readonly #send: (event: NumberedEvent) => void;
  readonly #resync: (head: number) => void;
  #last: number;
  #reading: Promise<void> | undefined;
  #heardMeanwhile = false;
  #closed = false;

  /** `since` is the last number that the reader has; undefined starts at the stream's present end. */
  static async open(options: {
    stream: string;
    since: number | undefined;
    log: EventLogReader;
    send: (event: NumberedEvent) => void;
    resync: (head: number) => void;
  }): Promise<StreamCursor> {
    const since = options.since ?? (await options.log.head(options.stream));
    return new StreamCursor({ ...options, since });
  }

  private constructor(options: {
    stream: string;
    since: number;
    log: EventLogReader;
    send: (event: NumberedEvent) => void;
    resync: (head: number) => void;
  }) {
    this.#stream = options.stream;
    this.#last = options.since;
    this.#log = options.log;
    this.#send = options.send;
    this.#resync = options.resync;
  }

  /** Hears an event of the stream from the live feed. */
  hear(event: NumberedEvent): Promise<void> | undefined {
    if (this.#reading) {
      this.#heardMeanwhile = true;
      return this.#reading;
    }
    if (event.seq <= this.#last) return undefined;
    if (event.seq !== this.#last + 1) return this.catchUp();
    this.#pass(event);
    return undefined;
  }

  /** Reads on from the log until nothing is left. Rejects when the database does not answer. */
  catchUp(): Promise<void> {
    if (this.#reading) {
      this.#heardMeanwhile = true;
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
        this.#heardMeanwhile = false;
        const events = await this.#readPage();
        for (const event of events) this.#pass(event);
        mayHaveMore = this.#heardMeanwhile || events.length === PAGE_SIZE;
      }
    } finally {
      // In the same turn as the last look at `#heardMeanwhile`: what is heard from here on goes its own way.
      this.#reading = undefined;
    }
  }

  /** The next events; none after a resync, which stands for all up to the head when some are no longer kept. */
  async #readPage(): Promise<NumberedEvent[]> {
    const head = await this.#log.head(this.#stream);
    if (head === this.#last) return [];
    const events = await this.#log.readAfter({
      stream: this.#stream,
      seq: this.#last,
      limit: PAGE_SIZE,
    });
    const continues = head > this.#last && events[0]?.seq === this.#last + 1;
    if (continues) return events;
    this.#last = head;
    this.#resync(head);
    return [];
  }

  #pass(event: NumberedEvent): void {
    if (this.#closed || event.seq !== this.#last + 1) return;
    this.#last = event.seq;
    this.#send(event);
  }
}

/** Reads the event log from the database. */
export function createEventLogReader(database: Database): EventLogReader {
  return {
    async readAfter({ stream, seq, limit }) {
      const events = await database.events
        .find({ stream, seq: { $gt: seq } })
        .sort({ seq: 1 })
        .limit(limit)
        .lean();
      return events.flatMap((event) =>
        event.seq === undefined ? [] : [{ ...event, seq: event.seq }],
      );
    },
    async head(stream) {
      const [head = 0] = await readHeads(database, [stream]);
      return head;
    },
  };
}
