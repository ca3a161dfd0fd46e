import { globalAgent } from "node:http";
import { setImmediate } from "node:timers/promises";
import ccxt, { type Exchange, type MarketInterface } from "ccxt";
import { z } from "zod";
import { type RequestLimits, withBase } from "../fetch-body.ts";
import { type PriceConnection, type PriceStream, ProviderError } from "../market-data.ts";
import type { ProviderPauses } from "../provider-pauses.ts";
import {
  createExchange,
  type createExchangeFetch,
  requestScope,
  toProviderError,
} from "./exchange-client.ts";

interface PriceStreamOptions {
  exchangeId: string;
  fetch: ReturnType<typeof createExchangeFetch>;
  pace: boolean;
  wsUrl: string | undefined;
  limits: { candles: RequestLimits };
  pauses: ProviderPauses;
  /** Those that are listed now. */
  markets: () => (MarketInterface | undefined)[];
}

type Listener = Parameters<PriceStream["connect"]>[0];

/** Prices over the WebSocket of an exchange, through ccxt; undefined if ccxt knows none. */
export function createPriceStream(options: PriceStreamOptions): PriceStream | undefined {
  const { exchangeId: exchange } = options;
  if (!(exchange in ccxt.pro)) return undefined;
  if (!createStreamingExchange(options).has.watchTicker) return undefined;
  return { exchange, connect: (listener) => new CcxtPriceConnection(options, listener) };
}

/** A new client for each connection: ccxt keeps what it knows of a lost one. */
function createStreamingExchange(options: PriceStreamOptions): Exchange {
  const { exchangeId: id, fetch, pace } = options;
  const exchange = createExchange({ id, fetch, pace, withStreams: true });
  // Binance would get a connection for each symbol.
  exchange.options.streamLimits = { spot: 1 };
  // Required for addresses with ws:.
  exchange.httpAgent = globalAgent;
  return exchange;
}

const tickerSchema = z.object({ last: z.number().positive() });

class CcxtPriceConnection implements PriceConnection {
  readonly #exchange: Exchange;
  readonly #listener: Listener;
  readonly #options: PriceStreamOptions;
  /** An object for each time that a symbol is watched. */
  readonly #watched = new Map<string, object>();
  #isOver = false;
  #admission: Promise<void> | undefined;

  constructor(options: PriceStreamOptions, listener: Listener) {
    this.#options = options;
    this.#listener = listener;
    this.#exchange = createStreamingExchange(options);
    this.#exchange.setMarkets(options.markets().filter((market) => market !== undefined));
    const clientOf = this.#exchange.client.bind(this.#exchange);
    this.#exchange.client = (url) => {
      if (this.#isOver) throw new Error("The connection was closed before it opened.");
      return clientOf(url && options.wsUrl ? withBase(url, options.wsUrl) : url);
    };
  }

  watch(symbol: string): void {
    if (this.#isOver || this.#watched.has(symbol)) return;
    const watch = {};
    this.#watched.set(symbol, watch);
    const isCurrent = () => this.#watched.get(symbol) === watch;
    this.#followAdmitted(symbol, isCurrent).catch((error: unknown) => {
      if (!isCurrent()) return;
      this.close();
      this.#listener.onLost(error);
    });
  }

  unwatch(symbol: string): boolean {
    if (!this.#watched.delete(symbol)) return true;
    if (!this.#exchange.has.unWatchTicker) return false;
    this.#exchange.unWatchTicker(symbol).catch(() => undefined);
    return true;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watched.clear();
    this.#exchange.close().catch(() => undefined);
  }

  /** Opening a connection is a request as any other. */
  async #followAdmitted(symbol: string, isCurrent: () => boolean): Promise<void> {
    const { exchangeId, limits, pauses } = this.#options;
    const admit = () => pauses.assertNone(exchangeId);
    this.#admission ??= admit();
    await this.#admission;
    const scope = { abort: new AbortController().signal, limits: limits.candles, admit };
    try {
      await requestScope.run(scope, () => this.#follow(symbol, isCurrent));
    } catch (error) {
      const failure = toConnectionError(error, exchangeId);
      throw failure.demandsPause && isCurrent() ? await pauses.begin(failure) : error;
    }
  }

  async #follow(symbol: string, isCurrent: () => boolean): Promise<void> {
    while (isCurrent()) {
      await this.#exchange.watchTicker(symbol);
      // Of several tickers that arrive together, ccxt reports the first.
      await setImmediate();
      if (!isCurrent()) return;
      const { data } = tickerSchema.safeParse(this.#exchange.tickers[symbol]);
      if (data) this.#listener.onPrice(symbol, data.last);
    }
  }
}

/** A refused handshake is known by its message only. */
function toConnectionError(error: unknown, provider: string): ProviderError {
  if (!/unexpected server response: (?:418|429)\b/i.test(String(error))) {
    return toProviderError(error, provider);
  }
  const message = "refused a WebSocket, as there were too many requests";
  return new ProviderError({ provider, failure: "rate-limited", scope: "provider", message });
}
