import { SettingsError } from "@shared/node/settings.ts";
import ccxt, { Exchange } from "ccxt";
import { z } from "zod";
import type { createExchangeFetch } from "./exchange-fetch.ts";

type ExchangeClass = new (config: Record<string, unknown>) => Exchange;

const exchangeClassSchema = z.custom<ExchangeClass>(
  (value) => typeof value === "function" && value.prototype instanceof Exchange,
);

/** The library's own clock on a request; it must never strike before ours. */
const LIBRARY_TIMEOUT_MS = 300_000;

/**
 * Makes the one exchange that is asked for, restricted to spot markets, sending all requests
 * through `fetch`.
 * @param options.pace keeps to the exchange's request rate by waiting
 * @throws SettingsError for an id that the library does not know
 */
export function createExchange(options: {
  id: string;
  fetch: ReturnType<typeof createExchangeFetch>;
  pace: boolean;
}): Exchange {
  const known: Record<string, unknown> = { ...ccxt };
  const exchangeClass = exchangeClassSchema.safeParse(known[options.id]);
  if (!exchangeClass.success || !ccxt.exchanges.includes(options.id)) {
    throw new SettingsError(`EXCHANGES: "${options.id}" is not a ccxt exchange id`);
  }
  const exchange = new exchangeClass.data({
    enableRateLimit: options.pace,
    timeout: LIBRARY_TIMEOUT_MS,
    fetchImplementation: options.fetch,
  });
  exchange.options.fetchMarkets = spotOnly(exchange.options.fetchMarkets);
  return exchange;
}

const marketOptionsSchema = z.looseObject({
  types: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
});

/**
 * The library's market options, reduced so that the list of markets is a single request: exchanges
 * name the types to load in an array or as flags, and some also load all tickers for their fees.
 */
function spotOnly(marketOptions: unknown): unknown {
  const parsed = marketOptionsSchema.safeParse(marketOptions ?? {});
  if (!parsed.success) return marketOptions;
  const { types } = parsed.data;
  const flags = types && !Array.isArray(types);
  return {
    ...parsed.data,
    types: flags
      ? Object.fromEntries(Object.keys(types).map((type) => [type, type === "spot"]))
      : ["spot"],
    fetchTickersFees: false,
  };
}
