import { nextPriceDueMs, priceHoldMs } from "@shared/contract/market-data.ts";
import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { LivePriceRecord } from "@shared/database/models/market-data.ts";
import type { Logger } from "@shared/runtime/logger.ts";

/** An unchanged price is confirmed so often. */
const CONFIRM_INTERVAL_MS = 10_000;

type NewPrice = Omit<LivePriceRecord, "writtenAt">;

interface Writing {
  last: NewPrice | undefined;
  lastAtMs: number;
  dueMs: number;
  next: NewPrice | undefined;
  timer: NodeJS.Timeout | undefined;
  isRunning: boolean;
}

/** Stores the last price of each market, at most once a second. */
export class PriceWriter {
  readonly #deps: { database: Pick<Database, "livePrices">; logger: Logger };
  readonly #writing = new Map<string, Writing>();

  constructor(deps: { database: Pick<Database, "livePrices">; logger: Logger }) {
    this.#deps = deps;
  }

  write(price: NewPrice): void {
    const writing = this.#writing.get(price._id) ?? {
      ...{ last: undefined, next: undefined, timer: undefined },
      ...{ lastAtMs: Number.NEGATIVE_INFINITY, dueMs: Number.NEGATIVE_INFINITY },
      isRunning: false,
    };
    this.#writing.set(price._id, writing);
    if (isKnown(writing, price)) return;
    writing.next = price;
    this.#schedule(writing);
  }

  /** Drops what waits. */
  forget(symbol: string): void {
    const writing = this.#writing.get(symbol);
    clearTimeout(writing?.timer);
    if (writing) writing.next = undefined;
    this.#writing.delete(symbol);
  }

  #schedule(writing: Writing): void {
    clearTimeout(writing.timer);
    if (!writing.next || writing.isRunning) return;
    const holdMs = priceHoldMs(performance.now(), writing.dueMs);
    if (holdMs === 0) void this.#store(writing, writing.next);
    else writing.timer = setTimeout(() => this.#schedule(writing), Math.ceil(holdMs));
  }

  async #store(writing: Writing, price: NewPrice): Promise<void> {
    const { database, logger } = this.#deps;
    Object.assign(writing, { last: price, next: undefined, isRunning: true });
    writing.lastAtMs = performance.now();
    writing.dueMs = nextPriceDueMs(writing.lastAtMs, writing.dueMs);
    const { _id, ...fields } = price;
    try {
      const stored = { ...fields, writtenAt: new Date() };
      await nativeCollection(database.livePrices).replaceOne({ _id }, stored, { upsert: true });
    } catch (error) {
      logger.warn({ err: error, symbol: _id }, "price not stored");
      writing.last = undefined;
    }
    writing.isRunning = false;
    this.#schedule(writing);
  }
}

function isKnown({ next, last, lastAtMs }: Writing, { price, feed }: NewPrice): boolean {
  const known = next ?? last;
  if (known?.price !== price || known.feed !== feed) return false;
  return next !== undefined || performance.now() - lastAtMs < CONFIRM_INTERVAL_MS;
}
