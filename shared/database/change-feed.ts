import { setTimeout as delay } from "node:timers/promises";
import type { ChangeStreamInsertDocument, Timestamp } from "mongodb";
import { z } from "zod";
import type { Logger } from "../runtime/logger.ts";
import { type Database, nativeDb } from "./database.ts";

const REOPEN_DELAY_MS = { first: 100, max: 2_000 } as const;

const helloSchema = z.object({
  lastWrite: z.object({
    majorityOpTime: z.object({ ts: z.custom<Timestamp>() }),
  }),
});

export interface ChangeFeedOptions {
  database: Pick<Database, "connection">;
  logger: Logger;
  collection: string;
  /** Which inserted documents to report, by their fields; all unless given. */
  match?: Record<string, unknown>;
  /** Called for each inserted document, in the order of the commits; a document may be reported twice. */
  onInsert: (document: unknown) => void;
  /**
   * Called each time the feed has been opened: documents inserted before may not have been reported and have to be
   * read. None is missed by both.
   */
  onOpen: () => void;
}

/** Reports the documents that are inserted into a collection. It reopens after each interruption. */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #stopping = new AbortController();
  #changes: { close(): Promise<void> } | undefined;
  #isOpen = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /** Whether inserts are reported at this moment. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Opens the feed; resolves once it is open. */
  async start(): Promise<void> {
    await new Promise<void>((onFirstOpen) => {
      this.#loop = this.#keepOpen(onFirstOpen);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#changes?.close();
    await this.#loop;
  }

  async #keepOpen(onFirstOpen: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const { logger, collection } = this.#options;
    let delayMs: number = REOPEN_DELAY_MS.first;
    while (!signal.aborted) {
      try {
        await this.#followUntilClosed(() => {
          delayMs = REOPEN_DELAY_MS.first;
          onFirstOpen();
        });
      } catch (error) {
        logger.warn({ err: error, collection }, "change feed interrupted, reopening");
      }
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, REOPEN_DELAY_MS.max);
    }
  }

  /**
   * The stream starts at the last majority commit, not at the last write, which is the driver's default: a write between
   * the two can neither be read yet nor would it be reported.
   */
  async #followUntilClosed(onOpen: () => void): Promise<void> {
    const { database, collection, match = {}, onInsert } = this.#options;
    const db = nativeDb(database.connection);
    const { lastWrite } = helloSchema.parse(await db.command({ hello: 1 }));
    const changes = db
      .collection(collection)
      .watch<object, ChangeStreamInsertDocument>(insertsWhere(match), {
        startAtOperationTime: lastWrite.majorityOpTime.ts,
      });
    this.#changes = changes;
    try {
      await new Promise<void>((resolve, reject) => {
        if (this.#stopping.signal.aborted) return resolve();
        // The first resume token means that the server has opened the stream.
        changes.once("resumeTokenChanged", () => this.#opened(onOpen));
        changes.on("change", ({ fullDocument }) => onInsert(fullDocument));
        changes.once("error", reject);
        changes.once("close", resolve);
      });
    } finally {
      this.#isOpen = false;
      await changes.close();
    }
  }

  #opened(onOpen: () => void): void {
    this.#isOpen = true;
    onOpen();
    this.#options.onOpen();
  }
}

function insertsWhere(match: Record<string, unknown>) {
  const fields = Object.entries(match).map(([field, value]) => [`fullDocument.${field}`, value]);
  return [{ $match: { operationType: "insert", ...Object.fromEntries(fields) } }];
}
