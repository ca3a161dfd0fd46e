import type { Logger } from "@shared/runtime/logger.ts";
import type { PriceConnection, PriceStream } from "../market-data/market-data.ts";

export interface ExchangeFeedLimits {
  /** A connection without any price for this long is lost, even if it is open. */
  silenceMs: number;
  firstRetryMs: number;
}

export const EXCHANGE_FEED_LIMITS: ExchangeFeedLimits = { silenceMs: 15_000, firstRetryMs: 1_000 };

const MAX_RETRY_MS = 60_000;
/** After this time with prices, the next retry is a first one again. */
const STABLE_MS = 60_000;

interface ExchangeFeedOptions {
  stream: PriceStream;
  logger: Logger;
  limits: ExchangeFeedLimits;
  onPrice: (symbol: string, price: number) => void;
  onLost: () => void;
}

/** The WebSocket of an exchange, open while a symbol is watched. All times are by the monotonic clock. */
export class ExchangeFeed {
  readonly #options: ExchangeFeedOptions;
  readonly #symbols = new Set<string>();
  readonly #lastPriceAt = new Map<string, number>();
  #connection: PriceConnection | undefined;
  #openedAt = 0;
  #lastAt = 0;
  #failures = 0;
  #retryAt = 0;
  #isLost = false;

  constructor(options: ExchangeFeedOptions) {
    this.#options = options;
  }

  /** Prices that it should bring have to be polled. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether it has brought the symbol's price lately. A quiet market may have none. */
  isLive(symbol: string): boolean {
    const last = this.#lastPriceAt.get(symbol) ?? Number.NEGATIVE_INFINITY;
    return !this.#isLost && performance.now() - last < this.#options.limits.silenceMs;
  }

  watch(symbol: string): void {
    this.#symbols.add(symbol);
    this.#connection?.watch(symbol);
    this.check();
  }

  unwatch(symbol: string): void {
    this.#symbols.delete(symbol);
    this.#lastPriceAt.delete(symbol);
    if (this.#symbols.size === 0) return this.close();
    if (!this.#connection || this.#connection.unwatch(symbol)) return;
    this.#disconnect();
    this.check();
  }

  close(): void {
    this.#symbols.clear();
    this.#lastPriceAt.clear();
    this.#isLost = false;
    this.#disconnect();
  }

  /** Notices silence, and reconnects when it is time. Called often. */
  check(): void {
    const now = performance.now();
    const { silenceMs } = this.#options.limits;
    if (this.#connection && now - Math.max(this.#openedAt, this.#lastAt) > silenceMs) {
      this.#disconnect();
      this.#lose(new Error(`There was no price for ${silenceMs} ms.`));
    }
    if (!this.#connection && this.#symbols.size > 0 && now >= this.#retryAt) this.#connect();
  }

  #connect(): void {
    this.#openedAt = performance.now();
    const isCurrent = () => connection === this.#connection;
    const connection = this.#options.stream.connect({
      onPrice: (symbol, price) => isCurrent() && this.#receive(symbol, price),
      onLost: (error) => {
        if (!isCurrent()) return;
        this.#connection = undefined;
        this.#lose(error);
      },
    });
    this.#connection = connection;
    for (const symbol of this.#symbols) connection.watch(symbol);
  }

  #receive(symbol: string, price: number): void {
    if (!this.#symbols.has(symbol)) return;
    this.#lastAt = performance.now();
    this.#lastPriceAt.set(symbol, this.#lastAt);
    if (this.#isLost) {
      const { logger, stream } = this.#options;
      logger.info({ exchange: stream.exchange }, "live prices are back");
    }
    this.#isLost = false;
    this.#options.onPrice(symbol, price);
  }

  #lose(error: unknown): void {
    const { logger, limits, stream, onLost } = this.#options;
    if (this.#lastAt - this.#openedAt > STABLE_MS) this.#failures = 0;
    const waitMs = Math.min(MAX_RETRY_MS, limits.firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#retryAt = performance.now() + waitMs;
    if (!this.#isLost) {
      const { exchange } = stream;
      logger.warn({ err: error, exchange }, "live prices of an exchange lost, polling");
    }
    this.#isLost = true;
    this.#lastPriceAt.clear();
    onLost();
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
