import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import {
  banOf,
  type CandleResponse,
  type Distortion,
  distort,
  type ProviderOptions,
  providerOf,
  startCandleService,
} from "./candle-service.ts";
import { type CandleQuery, candleQuery, EXCHANGE_PROTOCOLS } from "./exchange-protocols.ts";
import type { ServedCandle } from "./weather.ts";

type FakeExchangeId = keyof typeof EXCHANGE_PROTOCOLS;

export const FAKE_EXCHANGES: readonly FakeExchangeId[] = [
  "binance",
  "bybit",
  "okx",
  "kraken",
  "kucoin",
];

interface FakeExchangeRequest {
  exchange: FakeExchangeId;
  subject: "markets" | "candles";
  /** Of a request for candles of a known market. */
  symbol: string | undefined;
  timeframe: Timeframe | undefined;
  parameters: URLSearchParams;
}

type ExchangeSelection = Partial<Omit<FakeExchangeRequest, "parameters" | "timeframe">>;

export type FakeExchange = Awaited<ReturnType<typeof startFakeExchange>>;

/**
 * Starts fakes of five exchanges with the REST API of the real ones: their spot markets, and recorded candles shifted to
 * now. Prices over the WebSocket are sent by tests, with the protocol of Binance.
 */
export async function startFakeExchange(options: ProviderOptions = {}) {
  const provider = providerOf(options);
  const stream = new FakePriceStream();
  const minutePrices = new Map<string, number>();
  const service = await startCandleService({
    identify,
    isSelected,
    answer: (request, distortion) => answer(request, { distortion, provider, minutePrices }),
    ban: ({ exchange }) => banOf(exchange, provider),
    onUpgrade: stream.accept,
  });
  return {
    ...service,
    stream,
    /** Candles of one minute, which do not agree with longer ones, are at this price from now on, and since ever. */
    setMinutePrice: (symbol: string, price: number) => minutePrices.set(symbol, price),
    wsUrl: service.url.replace("http", "ws"),
    close() {
      stream.drop();
      return service.close();
    },
    count: (selection: ExchangeSelection = {}) =>
      service.requests.filter((request) => isSelected(request, selection)).length,
  };
}

function isSelected(request: FakeExchangeRequest, selection: ExchangeSelection): boolean {
  return (
    (selection.exchange ?? request.exchange) === request.exchange &&
    (selection.subject ?? request.subject) === request.subject &&
    (selection.symbol ?? request.symbol) === request.symbol
  );
}

function identify({ url }: IncomingMessage): FakeExchangeRequest | undefined {
  const { pathname, searchParams: parameters } = new URL(url ?? "/", "http://fake");
  for (const exchange of FAKE_EXCHANGES) {
    const protocol = EXCHANGE_PROTOCOLS[exchange];
    if (protocol.marketsPath === pathname) {
      const unnamed = { symbol: undefined, timeframe: undefined };
      return { exchange, parameters, subject: "markets", ...unnamed };
    }
    if (protocol.candlePaths.includes(pathname)) {
      const query = candleQuery(protocol, parameters);
      const { symbol, timeframe } = query ?? {};
      return { exchange, parameters, subject: "candles", symbol, timeframe };
    }
  }
  return undefined;
}

interface AnswerOptions {
  distortion: Distortion;
  provider: Required<ProviderOptions>;
  minutePrices: ReadonlyMap<string, number>;
}

function answer(
  { exchange, subject, parameters }: FakeExchangeRequest,
  { distortion, provider, minutePrices }: AnswerOptions,
): CandleResponse {
  const protocol = EXCHANGE_PROTOCOLS[exchange];
  const now = provider.now();
  const isListed = provider.weather.isListed(exchange, now);
  if (subject === "markets") {
    const isEmpty = distortion === "empty" || !isListed;
    return { body: protocol.marketsBody(isEmpty ? [] : protocol.markets) };
  }
  const query = candleQuery(protocol, parameters);
  if (!query || !isListed) return protocol.rejection;
  const { symbol, timeframe } = query;
  const price = timeframe === "1m" ? minutePrices.get(symbol) : undefined;
  const served = servedCandles(query, provider).map((candle) =>
    price === undefined
      ? candle
      : { ...candle, open: price, high: price, low: price, close: price },
  );
  const candles = distort(served, distortion);
  const rows = provider.weather.rows({ provider: exchange, symbol, timeframe, now }, candles);
  return { body: protocol.candlesBody(rows, query) };
}

function servedCandles(
  { symbol, timeframe, limit, ...range }: CandleQuery,
  { now, candles }: Required<ProviderOptions>,
): ServedCandle[] {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const onGrid = (time: number) => Math.ceil(time / lengthMs) * lengthMs;
  const openTime = Math.floor(now() / lengthMs) * lengthMs;
  const end = Math.min(onGrid(range.until ?? Number.POSITIVE_INFINITY), openTime + lengthMs);
  const latest = end - limit * lengthMs;
  const since = range.since === undefined ? latest : onGrid(range.since);
  const from = range.keep === "oldest" ? since : Math.max(since, latest);
  const count = Math.max(0, Math.min(limit, (end - from) / lengthMs));
  return candles({ symbol, timeframe, from, count }).map((candle) => ({
    ...candle,
    isOpen: candle.time === openTime,
  }));
}

const requestSchema = z.object({
  method: z.enum(["SUBSCRIBE", "UNSUBSCRIBE"]),
  params: z.array(z.string()),
  id: z.union([z.number(), z.string()]),
});

/** `silent`: connections stay open, but nothing is sent any more, not even an answer to a ping. */
type StreamBehaviour = "ok" | "refused" | "silent";

/** The WebSocket of Binance: clients subscribe to streams such as `btcusdt@miniTicker`. */
class FakePriceStream {
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #streams = new Map<WebSocket, Set<string>>();
  #behaviour: StreamBehaviour = "ok";
  /** Connections that were ever accepted. */
  accepted = 0;

  readonly accept = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (this.#behaviour === "refused") return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (client) => this.#serve(client));
  };

  behave(behaviour: StreamBehaviour): void {
    this.#behaviour = behaviour;
  }

  get open(): number {
    return this.#streams.size;
  }

  /** Each stream as often as connections are subscribed to it. */
  get subscribed(): string[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams]).sort();
  }

  send(symbol: string, price: number): void {
    if (this.#behaviour === "silent") return;
    const id = symbol.replace("/", "");
    const last = String(price);
    const volume = "1000";
    const at = Date.now();
    const o = last;
    const h = last;
    const l = last;
    const ticker = { e: "24hrMiniTicker", E: at, s: id, c: last, o, h, l, v: volume, q: volume };
    const stream = `${id.toLowerCase()}@miniTicker`;
    for (const [client, streams] of this.#streams) {
      if (streams.has(stream)) client.send(JSON.stringify(ticker));
    }
  }

  /** Cuts all connections. */
  drop(): void {
    for (const client of this.#streams.keys()) client.terminate();
  }

  #serve(client: WebSocket): void {
    const streams = new Set<string>();
    this.accepted += 1;
    this.#streams.set(client, streams);
    client.on("close", () => this.#streams.delete(client));
    client.on("ping", (data) => this.#behaviour !== "silent" && client.pong(data));
    client.on("message", (data) => {
      if (this.#behaviour === "silent") return;
      const { method, params, id } = requestSchema.parse(JSON.parse(String(data)));
      for (const stream of params) {
        if (method === "SUBSCRIBE") streams.add(stream);
        else streams.delete(stream);
      }
      client.send(JSON.stringify({ result: null, id }));
    });
  }
}
