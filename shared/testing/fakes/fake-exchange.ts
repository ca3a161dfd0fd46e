import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { recordedCandles } from "../recorded-candles.ts";
import { binanceProtocol } from "./exchanges/binance.ts";
import { bybitProtocol } from "./exchanges/bybit.ts";
import { krakenProtocol } from "./exchanges/kraken.ts";
import { kucoinProtocol } from "./exchanges/kucoin.ts";
import { okxProtocol } from "./exchanges/okx.ts";
import {
  type CandleQuery,
  distorted,
  type ExchangeBehaviour,
  type ExchangeProtocol,
  FAULTS,
  isFault,
  type ServedCandle,
} from "./exchanges/protocol.ts";
import { type HttpFake, sendJson, startHttpFake } from "./fake-http.ts";

const PROTOCOLS = {
  binance: binanceProtocol,
  bybit: bybitProtocol,
  okx: okxProtocol,
  kraken: krakenProtocol,
  kucoin: kucoinProtocol,
} satisfies Record<string, ExchangeProtocol>;
export type FakeExchangeId = keyof typeof PROTOCOLS;

export const FAKE_EXCHANGES: readonly FakeExchangeId[] = [
  "binance",
  "bybit",
  "okx",
  "kraken",
  "kucoin",
];

/** Which of its addresses a behaviour concerns. */
export type ExchangeSubject = "markets" | "candles";

export interface FakeExchangeRequest {
  exchange: FakeExchangeId;
  subject: ExchangeSubject;
  /** Of a request for candles of a symbol that the exchange has. */
  symbol: string | undefined;
  parameters: URLSearchParams;
}

/** One exchange, one kind of address, one symbol's candles, or, with none of them, everything. */
export interface ExchangeSelection {
  exchange?: FakeExchangeId;
  subject?: ExchangeSubject;
  symbol?: string;
}

/** All stand-in exchanges at one address, told apart by their paths. */
export interface FakeExchange extends HttpFake {
  /** Every request so far, whatever came of it. */
  readonly requests: readonly FakeExchangeRequest[];
  /**
   * The last one given for a request counts.
   * @param selection.times how many requests it concerns, after which all is well again; without
   * it, all
   */
  behave(behaviour: ExchangeBehaviour, selection?: ExchangeSelection & { times?: number }): void;
  count(selection?: ExchangeSelection): number;
  /** Everything behaves again, and nothing has been asked. */
  reset(): void;
}

/**
 * Starts stand-ins for five exchanges that speak their real REST protocols: list of spot markets
 * and candles, recorded ones shifted to now, the newest still open.
 */
export async function startFakeExchange(
  options: { now?: () => number } = {},
): Promise<FakeExchange> {
  const now = options.now ?? Date.now;
  let behaviours: { behaviour: ExchangeBehaviour; selection: ExchangeSelection; times: number }[] =
    [];
  const nextBehaviour = (request: FakeExchangeRequest) => {
    const set = behaviours.findLast(({ selection }) => isSelected(request, selection));
    if (!set || set.times === 0) return "ok";
    set.times -= 1;
    return set.behaviour;
  };
  const requests: FakeExchangeRequest[] = [];

  const server = await startHttpFake(async (request, response) => {
    const asked = identify(request);
    if (!asked) return sendJson(response, { error: "no such address" }, 404);
    requests.push(asked);
    await answer({ asked, behaviour: nextBehaviour(asked), response, now: now() });
  });

  return {
    ...server,
    requests,
    behave: (behaviour, { times = Number.POSITIVE_INFINITY, ...selection } = {}) => {
      behaviours.push({ behaviour, selection, times });
    },
    count: (selection = {}) => requests.filter((request) => isSelected(request, selection)).length,
    reset: () => {
      behaviours = [];
      requests.length = 0;
    },
  };
}

const SLOW_MS = 150;

function isSelected(request: FakeExchangeRequest, selection: ExchangeSelection): boolean {
  return (
    (selection.exchange ?? request.exchange) === request.exchange &&
    (selection.subject ?? request.subject) === request.subject &&
    (selection.symbol ?? request.symbol) === request.symbol
  );
}

function identify(request: IncomingMessage): FakeExchangeRequest | undefined {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in");
  for (const exchange of FAKE_EXCHANGES) {
    const protocol: ExchangeProtocol = PROTOCOLS[exchange];
    const asked = { exchange, parameters: searchParams };
    if (protocol.marketsPath === pathname) {
      return { ...asked, subject: "markets", symbol: undefined };
    }
    if (protocol.candlePaths.includes(pathname)) {
      const market = protocol.candleQuery(searchParams)?.market;
      return { ...asked, subject: "candles", symbol: market && `${market.base}/${market.quote}` };
    }
  }
  return undefined;
}

async function answer(options: {
  asked: FakeExchangeRequest;
  behaviour: ExchangeBehaviour;
  response: ServerResponse;
  now: number;
}): Promise<void> {
  const { asked, behaviour, response, now } = options;
  if (isFault(behaviour)) return FAULTS[behaviour](response);
  if (behaviour === "slow") await setTimeout(SLOW_MS);
  const protocol: ExchangeProtocol = PROTOCOLS[asked.exchange];
  if (asked.subject === "markets") {
    return sendJson(response, protocol.marketsBody(behaviour === "empty" ? [] : protocol.markets));
  }
  const query = protocol.candleQuery(asked.parameters);
  if (!query) return sendJson(response, protocol.rejection.body, protocol.rejection.status);
  const candles = distorted(servedCandles(query, now), behaviour);
  sendJson(response, protocol.candlesBody(candles, query));
}

function servedCandles(query: CandleQuery, now: number): ServedCandle[] {
  const lengthMs = TIMEFRAME_MS[query.timeframe];
  const onGrid = (time: number) => Math.ceil(time / lengthMs) * lengthMs;
  const openTime = Math.floor(now / lengthMs) * lengthMs;
  const end = Math.min(onGrid(query.until ?? Number.POSITIVE_INFINITY), openTime + lengthMs);
  const latest = end - query.limit * lengthMs;
  const since = query.since === undefined ? latest : onGrid(query.since);
  const from = query.keep === "oldest" ? since : Math.max(since, latest);
  const count = Math.max(0, Math.min(query.limit, (end - from) / lengthMs));
  const symbol = `${query.market.base}/${query.market.quote}`;
  return recordedCandles({ symbol, timeframe: query.timeframe, from, count }).map((candle) => ({
    ...candle,
    isOpen: candle.time === openTime,
  }));
}
