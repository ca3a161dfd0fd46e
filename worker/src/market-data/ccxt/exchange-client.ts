import { AsyncLocalStorage } from "node:async_hooks";
import { SettingsError } from "@shared/runtime/settings.ts";
import ccxt, { Exchange } from "ccxt";
import { z } from "zod";
import { UnusableCandlesError } from "../candles.ts";
import { fetchBody, type RequestLimits, withBase } from "../fetch-body.ts";
import { type FailureScope, ProviderError, type ProviderFailure } from "../market-data.ts";
import { readPauseDemand } from "../pause-demand.ts";
import { onOwnTime } from "../provider-deadline.ts";
import type { Admit } from "../provider-pauses.ts";

type ExchangeClass = new (config: Record<string, unknown>) => Exchange;

const exchangeClassSchema = z.custom<ExchangeClass>(
  (value) => typeof value === "function" && value.prototype instanceof Exchange,
);

/** Of a list of markets. */
export const MARKET_LIMITS: RequestLimits = {
  headersTimeoutMs: 4_000,
  totalTimeoutMs: 15_000,
  maxBytes: 64_000_000,
};

/** Must be longer than our own timeouts. */
const LIBRARY_TIMEOUT_MS = 300_000;

/** They count requests in windows of seconds, whose lengths ccxt knows, so that several may be sent at once. Messages over a stream may not. */
const WINDOWED: ReadonlySet<string> = new Set(["binance", "bybit", "kraken", "kucoin"]);

/** @param options.withStreams prices over its WebSocket, too */
export function createExchange(options: {
  id: string;
  fetch: ReturnType<typeof createExchangeFetch>;
  pace: boolean;
  /** The markets that it lists. */
  markets?: MarketKind;
  withStreams?: boolean;
}): Exchange {
  const known: Record<string, unknown> = { ...(options.withStreams ? ccxt.pro : ccxt) };
  const exchangeClass = exchangeClassSchema.safeParse(known[options.id]);
  if (!exchangeClass.success || !ccxt.exchanges.includes(options.id)) {
    throw new SettingsError(`EXCHANGES: "${options.id}" is not a ccxt exchange id`);
  }
  const exchange = new exchangeClass.data({
    enableRateLimit: options.pace,
    ...(WINDOWED.has(options.id) &&
      !options.withStreams && { rateLimiterAlgorithm: "rollingWindow" }),
    timeout: LIBRARY_TIMEOUT_MS,
    fetchImplementation: options.fetch,
  });
  const { markets = "spot" } = options;
  exchange.options.fetchMarkets = onlyMarkets(exchange.options.fetchMarkets, markets);
  const throttle = exchange.throttle.bind(exchange);
  exchange.throttle = (cost) => onOwnTime(() => throttle(cost));
  return exchange;
}

/** As exchanges call them. `linear` ones are perpetual futures in the quote currency. */
const MARKET_TYPES = { spot: ["spot"], perpetual: ["swap", "linear"] } as const;
type MarketKind = keyof typeof MARKET_TYPES;

const marketOptionsSchema = z.looseObject({
  types: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
});

/**
 * Reduces the list of markets to a single request: some exchanges load several types, or all tickers for their fees.
 */
function onlyMarkets(marketOptions: unknown, kind: MarketKind): unknown {
  const parsed = marketOptionsSchema.safeParse(marketOptions ?? {});
  if (!parsed.success) return marketOptions;
  const { types } = parsed.data;
  const isKept = (type: string) => MARKET_TYPES[kind].some((kept) => kept === type);
  const flags = types && !Array.isArray(types);
  return {
    ...parsed.data,
    types: flags
      ? Object.fromEntries(Object.keys(types).map((type) => [type, isKept(type)]))
      : (types ?? MARKET_TYPES[kind]).filter(isKept),
    fetchTickersFees: false,
  };
}

interface RequestScope {
  abort: AbortSignal;
  limits: RequestLimits;
  admit: Admit;
}

interface ExchangeRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Passes a caller's signal and limits through ccxt, which has no parameter for them. */
export const requestScope = new AsyncLocalStorage<RequestScope>();

export function createExchangeFetch(options: {
  provider: string;
  baseUrl?: string | undefined;
  onAnswer: () => void;
}): (url: string, request: ExchangeRequest) => Promise<Response> {
  const { provider, baseUrl, onAnswer } = options;
  return async (url, init) => {
    const scope = requestScope.getStore();
    if (!scope) throw new Error("exchange request outside of a request scope");
    const { abort, limits, admit } = scope;
    await onOwnTime(admit);
    const request = { provider, url: withBase(url, baseUrl), init, abort, limits, onAnswer };
    const response = await fetchBody(request);
    const text = await response.text();
    if (response.ok && !isWholeJson(text)) {
      throw new ProviderError({ provider, failure: "nonsense", message: "the answer is no JSON" });
    }
    return new Response(text, response);
  };
}

/** Checks both ends only, as a list of markets is too long to be parsed twice. */
function isWholeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}

/** The first matching class counts. */
const MEANINGS = [
  [ccxt.RateLimitExceeded, "rate-limited", "provider", "too many requests"],
  [ccxt.DDoSProtection, "rate-limited", "provider", "too many requests"],
  [ccxt.BadSymbol, "unknown-symbol", "market", "the symbol is not listed"],
  [ccxt.RequestTimeout, "timeout", "market", "no answer in time"],
  [ccxt.ExchangeNotAvailable, "refused", "provider", "the exchange is not available"],
  [ccxt.OnMaintenance, "refused", "provider", "the exchange is under maintenance"],
  [ccxt.AuthenticationError, "refused", "provider", "access was denied"],
  [ccxt.NetworkError, "unreachable", "provider", "no answer"],
  [ccxt.ExchangeError, "refused", "market", "the exchange rejected the request"],
] as const;

/** Messages of ccxt contain whole responses, so they are kept as the cause only. */
export function toProviderError(error: unknown, provider: string): ProviderError {
  const fail = (failure: ProviderFailure, message: string, scope?: FailureScope) => {
    const demand = failure === "rate-limited" ? readPauseDemand(String(error)) : {};
    return new ProviderError({ provider, failure, scope, message, cause: error, ...demand });
  };
  if (error instanceof ProviderError) return error;
  if (error instanceof UnusableCandlesError) return fail("nonsense", error.message);
  const meaning = MEANINGS.find(([errorClass]) => error instanceof errorClass);
  if (!meaning) return fail("nonsense", "the answer could not be understood");
  const [, failure, scope, message] = meaning;
  return fail(failure, message, scope);
}
