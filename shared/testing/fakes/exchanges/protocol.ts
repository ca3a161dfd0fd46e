import type { ServerResponse } from "node:http";
import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { OTHER_COINS } from "../../recorded-candles.ts";
import { sendHtml, sendJson, stallBody } from "../fake-http.ts";

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

/** Ways in which an exchange fails whatever it is asked. */
export const FAULTS = {
  /** The connection breaks before any answer. */
  down: (response: ServerResponse) => void response.destroy(),
  "stalled-headers": () => undefined,
  "stalled-body": stallBody,
  "rate-limited": (response: ServerResponse) => {
    response.setHeader("retry-after", "30");
    sendJson(response, { code: 429, msg: "Too many requests" }, 429);
  },
  unavailable: (response: ServerResponse) => sendHtml(response, 503),
  blocked: (response: ServerResponse) =>
    sendJson(response, { msg: "Service unavailable from a restricted location" }, 451),
  html: (response: ServerResponse) => sendHtml(response),
  garbage: (response: ServerResponse) => sendJson(response, '{"code":"0","data":[[{"what":'),
} as const;
type ExchangeFault = keyof typeof FAULTS;

/** Ways in which an exchange answers in its own terms, but not as it should. */
const DISTORTIONS = {
  empty: () => [],
  /** A tenth of the candles, the newest. */
  short: (candles: ServedCandle[]) => candles.slice(-Math.floor(candles.length / 10)),
  /** The market has been listed for only sixty candles. */
  young: (candles: ServedCandle[]) => candles.slice(-60),
  /** Every fourth candle is missing. */
  gaps: (candles: ServedCandle[]) => candles.filter((_, index) => index % 4 !== 0),
  /** The newest ten are missing. */
  stale: (candles: ServedCandle[]) => candles.slice(0, -10),
  /** There is nothing newer than a thousand candles ago. */
  stopped: (candles: ServedCandle[]) => {
    const lengthMs = (candles[1]?.time ?? 0) - (candles[0]?.time ?? 0);
    return candles.map((candle) => ({
      ...candle,
      time: candle.time - 1_000 * lengthMs,
      isOpen: false,
    }));
  },
  /** The newest closed one has not been published yet. */
  late: (candles: ServedCandle[]) => candles.filter(({ isOpen }) => !isOpen).slice(0, -1),
} as const;
type ExchangeDistortion = keyof typeof DISTORTIONS;

/** `slow` answers well after 150 ms. */
export type ExchangeBehaviour = "ok" | "slow" | ExchangeFault | ExchangeDistortion;

export function isFault(behaviour: ExchangeBehaviour): behaviour is ExchangeFault {
  return behaviour in FAULTS;
}

/** `candles`, oldest first, as an exchange that behaves like this gives them. */
export function distorted(
  candles: ServedCandle[],
  behaviour: Exclude<ExchangeBehaviour, ExchangeFault>,
): ServedCandle[] {
  if (behaviour === "ok" || behaviour === "slow") return candles;
  return DISTORTIONS[behaviour](candles);
}
