import { setTimeout as delay } from "node:timers/promises";
import type { ChangeStreamInsertDocument, ChangeStreamReplaceDocument, Timestamp } from "mongodb";
import { z } from "zod";
import type { Logger } from "../runtime/logger.ts";
import { type Database, nativeDb } from "./database.ts";

const REOPEN_DELAY_MS = { first: 100, max: 2_000 } as const;

/** The database answers an idle change stream every second. What comes after a longer silence may be late. */
const MAX_SILENCE_MS = 2_000;

const helloSchema = z.object({
  lastWrite: z.object({
    majorityOpTime: z.object({ ts: z.custom<Timestamp>() }),
  }),
});

interface ChangeFeedOptions {
  database: Database;
  logger: Logger;
  collection: string;
  /** Conditions on the documents to report; all by default. */
  match?: Record<string, unknown>;
  /** What is reported of a document; all by default. */
  fields?: readonly string[];
  /** Called for each inserted or replaced document in commit order, sometimes twice. */
  onWrite: (document: unknown) => void;
  /**
   * Called whenever the feed opens, and before it goes on after a silence. Documents written before may not be reported, or
   * late, and have to be read.
   */
  onOpen: () => void;
}

/** Reports documents inserted into a collection, or replaced. Reopens after interruptions. */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #stopping = new AbortController();
  #changes: { close(): Promise<void> } | undefined;
  #isOpen = false;
  /** When the database last answered, by the monotonic clock. */
  #noteContactAtMs = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when the feed is open. */
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

  /** Starts at the last majority commit. The driver would start at the last write, and miss writes between the two. */
  async #followUntilClosed(onOpen: () => void): Promise<void> {
    const { database, collection, match = {}, fields, onWrite } = this.#options;
    const db = nativeDb(database.connection);
    const { lastWrite } = helloSchema.parse(await db.command({ hello: 1 }));
    const changes = db
      .collection(collection)
      .watch<object, ChangeStreamInsertDocument | ChangeStreamReplaceDocument>(
        [...writesWhere(match), ...cutTo(fields)],
        {
          startAtOperationTime: lastWrite.majorityOpTime.ts,
        },
      );
    this.#changes = changes;
    try {
      await new Promise<void>((resolve, reject) => {
        if (this.#stopping.signal.aborted) return resolve();
        // The first resume token means that the stream is open.
        changes.once("resumeTokenChanged", () => this.#opened(onOpen));
        changes.on("resumeTokenChanged", () => this.#noteContact());
        changes.on("change", ({ fullDocument }) => {
          this.#noteContact();
          onWrite(fullDocument);
        });
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
    this.#noteContactAtMs = performance.now();
    onOpen();
    this.#options.onOpen();
  }

  /** The driver resumes a stream by itself after a short interruption. */
  #noteContact(): void {
    const silentMs = performance.now() - this.#noteContactAtMs;
    this.#noteContactAtMs += silentMs;
    if (silentMs > MAX_SILENCE_MS) this.#options.onOpen();
  }
}

/** The id of a change is its resume token. */
const cutTo = (fields: readonly string[] | undefined) =>
  fields
    ? [{ $project: Object.fromEntries(fields.map((name) => [`fullDocument.${name}`, 1])) }]
    : [];

function writesWhere(match: Record<string, unknown>) {
  const fields = Object.entries(match).map(([field, value]) => [`fullDocument.${field}`, value]);
  return [
    { $match: { operationType: { $in: ["insert", "replace"] }, ...Object.fromEntries(fields) } },
  ];
}
