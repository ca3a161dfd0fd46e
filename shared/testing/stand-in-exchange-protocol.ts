import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { OTHER_COINS } from "./recorded-candles.ts";

/** A spot market as a stand-in lists it. */
export interface ListedMarket {
  base: string;
  quote: string;
}

/** A request for candles in common terms; times in Unix milliseconds. */
export interface CandleQuery {
  market: ListedMarket;
  timeframe: Timeframe;
  /** First opening time, included. */
  since: number | undefined;
  /** Last opening time, excluded. */
  until: number | undefined;
  limit: number;
  /** Which candles come when the range holds more than `limit`. */
  keep: "oldest" | "newest";
}

/** A candle as served; the newest one has not closed yet. */
export interface ServedCandle extends Candle {
  isOpen: boolean;
}

/** The REST dialect of one exchange: addresses, parameters, order and shapes. */
export interface ExchangeProtocol {
  markets: readonly ListedMarket[];
  marketsPath: string;
  candlePaths: readonly string[];
  marketsBody(markets: readonly ListedMarket[]): unknown;
  /** Null for a symbol or an interval that the exchange does not have. */
  candleQuery(parameters: URLSearchParams): CandleQuery | null;
  /** What the exchange says to such a request. */
  rejection: { status: number; body: unknown };
  /** @param candles oldest first */
  candlesBody(candles: readonly ServedCandle[], query: CandleQuery): unknown;
}

/** What every stand-in exchange lists: the product's crypto symbols, and others. */
export const CRYPTO_MARKETS: readonly ListedMarket[] = [
  ...["BTC", "ETH", "BNB", "ADA", "SOL", "XRP", "LTC", "DOGE"],
  ...OTHER_COINS,
].map((base) => ({ base, quote: "USDT" }));

/** The number of that name among the parameters, or undefined where there is none. */
export function numberIn(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  return text === null ? undefined : Number(text);
}

/** Market and timeframe by the exchange's own words for them; null where one is unknown. */
export function lookUp(options: {
  markets: readonly ListedMarket[];
  idOf: (market: ListedMarket) => string;
  id: string | null;
  intervals: Readonly<Record<Timeframe, string>>;
  interval: string | null;
}): { market: ListedMarket; timeframe: Timeframe } | null {
  const { markets, idOf, id, intervals, interval } = options;
  const market = markets.find((candidate) => idOf(candidate) === id);
  const timeframe = TIMEFRAMES.find((candidate) => intervals[candidate] === interval);
  return market && timeframe ? { market, timeframe } : null;
}
