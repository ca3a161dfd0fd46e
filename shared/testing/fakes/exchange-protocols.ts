import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { OTHER_COINS } from "../recorded-candles.ts";
import { timeframeNamed } from "./candle-service.ts";
import type { WeatherRow } from "./weather.ts";

interface ListedMarket {
  base: string;
  quote: string;
}

/** A range of candles. Times are Unix milliseconds. */
interface CandleRange {
  /** First opening time, included. */
  since: number | undefined;
  /** Last opening time, excluded. */
  until: number | undefined;
  limit: number;
  /** Which candles are given if the range has more than `limit`. */
  keep: "oldest" | "newest";
}

export interface CandleQuery extends CandleRange {
  market: ListedMarket;
  symbol: string;
  timeframe: Timeframe;
}

/** The REST API of one exchange: addresses, parameters, order and shapes. */
interface ExchangeProtocol {
  markets: readonly ListedMarket[];
  marketsPath: string;
  candlePaths: readonly string[];
  parameters: { id: string; interval: string };
  idOf: (market: ListedMarket) => string;
  intervalOf: (timeframe: Timeframe) => string;
  marketsBody: (markets: readonly ListedMarket[]) => unknown;
  rangeOf: (number: (name: string) => number | undefined) => CandleRange;
  /** The response for an unknown market or timeframe. */
  rejection: { status: number; body: unknown };
  candlesBody: (rows: readonly WeatherRow[], query: CandleQuery) => unknown;
}

/** Reads a request for candles; null for an unknown market or timeframe. */
export function candleQuery(
  { markets, idOf, intervalOf, parameters, rangeOf }: ExchangeProtocol,
  search: URLSearchParams,
): CandleQuery | null {
  const market = markets.find((candidate) => idOf(candidate) === search.get(parameters.id));
  const timeframe = timeframeNamed(intervalOf, search.get(parameters.interval) ?? "");
  if (!market || !timeframe) return null;
  const range = rangeOf((name) => (search.has(name) ? Number(search.get(name)) : undefined));
  return { market, symbol: `${market.base}/${market.quote}`, timeframe, ...range };
}

/** Markets of all exchanges: the product's crypto symbols, and others. */
const CRYPTO_MARKETS: readonly ListedMarket[] = [
  "BTC",
  "ETH",
  "BNB",
  "ADA",
  "SOL",
  "XRP",
  "LTC",
  "DOGE",
  ...OTHER_COINS,
].map((base) => ({ base, quote: "USDT" }));

/** Exchanges send numbers as texts. */
const text = (value: number | null): string | null => (value === null ? null : String(value));

const turnover = ({ volume, close }: WeatherRow): number => (volume ?? 0) * (close ?? 0);

const minutesOf = (timeframe: Timeframe): string => String(TIMEFRAME_MS[timeframe] / 60_000);

const plus = (value: number | undefined, offset: number): number | undefined =>
  value === undefined ? undefined : value + offset;

const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1_000;

/** Oldest candle first, `startTime` and `endTime` included, at most 1,000. */
const binance: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v3/exchangeInfo",
  candlePaths: ["/api/v3/klines"],
  parameters: { id: "symbol", interval: "interval" },
  idOf: ({ base, quote }) => `${base}${quote}`,
  intervalOf: (timeframe) => timeframe,
  marketsBody: (markets) => ({
    symbols: markets.map((market) => ({
      symbol: binance.idOf(market),
      status: "TRADING",
      baseAsset: market.base,
      quoteAsset: market.quote,
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: true,
      filters: [{ filterType: "PRICE_FILTER", tickSize: "0.00001" }],
      permissions: [],
      permissionSets: [["SPOT"]],
    })),
  }),
  rangeOf: (number) => ({
    since: number("startTime"),
    until: plus(number("endTime"), 1),
    limit: Math.min(number("limit") ?? 500, 1_000),
    keep: number("startTime") === undefined ? "newest" : "oldest",
  }),
  rejection: { status: 400, body: { code: -1121, msg: "Invalid symbol." } },
  candlesBody: (rows, { timeframe }) =>
    rows.map((row) => [
      row.time,
      ...[row.open, row.high, row.low, row.close, row.volume].map(text),
      row.time + TIMEFRAME_MS[timeframe] - 1,
      String(turnover(row)),
      100,
      String((row.volume ?? 0) / 2),
      String(turnover(row) / 2),
      "0",
    ]),
};

const bybitBody = (result: unknown) => ({ retCode: 0, retMsg: "OK", result, time: Date.now() });

/** Newest candle first, `start` and `end` included, at most 1,000. */
const bybit: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/v5/market/instruments-info",
  candlePaths: ["/v5/market/kline"],
  parameters: { id: "symbol", interval: "interval" },
  idOf: ({ base, quote }) => `${base}${quote}`,
  intervalOf: (timeframe) => (timeframe === "1d" ? "D" : minutesOf(timeframe)),
  marketsBody: (markets) =>
    bybitBody({
      category: "spot",
      list: markets.map((market) => ({
        symbol: bybit.idOf(market),
        baseCoin: market.base,
        quoteCoin: market.quote,
        status: "Trading",
        marginTrading: "both",
        lotSizeFilter: { basePrecision: "0.000001", minOrderQty: "0.00004" },
        priceFilter: { tickSize: "0.01" },
      })),
    }),
  rangeOf: (number) => ({
    since: number("start"),
    until: plus(number("end"), 1),
    limit: Math.min(number("limit") ?? 200, 1_000),
    keep: number("start") !== undefined && number("end") === undefined ? "oldest" : "newest",
  }),
  rejection: { status: 200, body: { retCode: 10001, retMsg: "Not supported symbols", result: {} } },
  candlesBody: (rows, { market }) =>
    bybitBody({
      category: "spot",
      symbol: bybit.idOf(market),
      list: rows
        .map((row) =>
          [row.time, row.open, row.high, row.low, row.close, row.volume, turnover(row)].map(text),
        )
        .reverse(),
    }),
};

/** Newest candle first, `before` and `after` excluded, at most 300. */
const okx: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v5/public/instruments",
  candlePaths: ["/api/v5/market/candles", "/api/v5/market/history-candles"],
  parameters: { id: "instId", interval: "bar" },
  idOf: ({ base, quote }) => `${base}-${quote}`,
  intervalOf: (timeframe) => timeframe.replace("h", "H").replace("d", "Dutc"),
  marketsBody: (markets) => ({
    code: "0",
    data: markets.map((market) => ({
      instType: "SPOT",
      instId: okx.idOf(market),
      baseCcy: market.base,
      quoteCcy: market.quote,
      lotSz: "0.00000001",
      minSz: "0.00001",
      tickSz: "0.1",
      state: "live",
    })),
  }),
  rangeOf: (number) => ({
    since: plus(number("before"), 1),
    until: number("after"),
    limit: Math.min(number("limit") ?? 100, 300),
    keep: "newest",
  }),
  rejection: {
    status: 200,
    body: { code: "51001", data: [], msg: "Instrument ID doesn't exist." },
  },
  candlesBody: (rows) => ({
    code: "0",
    data: rows
      .map((row) => [
        ...[row.time, row.open, row.high, row.low, row.close, row.volume].map(text),
        ...[turnover(row), turnover(row)].map(text),
        row.isOpen ? "0" : "1",
      ])
      .reverse(),
  }),
};

const FOREX: readonly ListedMarket[] = [
  { base: "EUR", quote: "USD" },
  { base: "GBP", quote: "USD" },
  { base: "AUD", quote: "USD" },
  { base: "USD", quote: "JPY" },
];
/** Kraken's own names of some coins. */
const KRAKEN_NAMES: Readonly<Record<string, string>> = { BTC: "XBT", DOGE: "XDG" };
/** Older coins have an X in front, currencies a Z. */
const KRAKEN_ASSETS: Readonly<Record<string, string>> = {
  BTC: "XXBT",
  ETH: "XETH",
  XRP: "XXRP",
  LTC: "XLTC",
  DOGE: "XXDG",
  EUR: "ZEUR",
  GBP: "ZGBP",
  AUD: "ZAUD",
  USD: "ZUSD",
  JPY: "ZJPY",
};
const krakenName = (currency: string) => KRAKEN_NAMES[currency] ?? currency;
const krakenAsset = (currency: string) => KRAKEN_ASSETS[currency] ?? currency;
const KRAKEN_LONG_IDS = new Set(["EUR/USD", "GBP/USD", "USD/JPY"]);

/** Oldest candle first, `since` excluded, only the latest 720. The only exchange here with currencies. */
const kraken: ExchangeProtocol = {
  markets: [...CRYPTO_MARKETS, ...FOREX],
  marketsPath: "/0/public/AssetPairs",
  candlePaths: ["/0/public/OHLC"],
  parameters: { id: "pair", interval: "interval" },
  idOf({ base, quote }) {
    const name = KRAKEN_LONG_IDS.has(`${base}/${quote}`) ? krakenAsset : krakenName;
    return `${name(base)}${name(quote)}`;
  },
  intervalOf: minutesOf,
  marketsBody: (markets) => ({
    error: [],
    result: Object.fromEntries(
      markets.map((market) => [
        kraken.idOf(market),
        {
          altname: `${krakenName(market.base)}${krakenName(market.quote)}`,
          wsname: `${krakenName(market.base)}/${krakenName(market.quote)}`,
          base: krakenAsset(market.base),
          quote: krakenAsset(market.quote),
          pair_decimals: 5,
          lot_decimals: 8,
          leverage_buy: [],
          leverage_sell: [],
          fees: [[0, 0.4]],
          fees_maker: [[0, 0.25]],
          ordermin: "0.0001",
          tick_size: "0.00001",
          status: "online",
        },
      ]),
    ),
  }),
  rangeOf: (number) => ({
    since: plus(inMs(number("since")), 1),
    until: undefined,
    limit: 720,
    keep: "newest",
  }),
  rejection: { status: 200, body: { error: ["EQuery:Unknown asset pair"] } },
  candlesBody: (rows, { market }) => ({
    error: [],
    result: {
      [kraken.idOf(market)]: rows.map(({ time, open, high, low, close, volume }) => [
        time / 1_000,
        ...[open, high, low, close, close, volume].map(text),
        100,
      ]),
      last: (rows.at(-2)?.time ?? 0) / 1_000,
    },
  }),
};

/** Newest candle first, `startAt` included and `endAt` excluded, in seconds, at most 1,500. */
const kucoin: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v2/symbols",
  candlePaths: ["/api/v1/market/candles"],
  parameters: { id: "symbol", interval: "type" },
  idOf: ({ base, quote }) => `${base}-${quote}`,
  intervalOf: (timeframe) => timeframe.replace("m", "min").replace("h", "hour").replace("d", "day"),
  marketsBody: (markets) => ({
    code: "200000",
    data: markets.map((market) => ({
      symbol: kucoin.idOf(market),
      baseCurrency: market.base,
      quoteCurrency: market.quote,
      baseMinSize: "0.00001",
      baseIncrement: "0.00000001",
      priceIncrement: "0.1",
      isMarginEnabled: true,
      enableTrading: true,
    })),
  }),
  rangeOf: (number) => ({
    since: inMs(number("startAt")),
    until: inMs(number("endAt")),
    limit: 1_500,
    keep: "newest",
  }),
  rejection: {
    status: 200,
    body: { code: "400100", msg: "This pair is not provided at present" },
  },
  candlesBody: (rows) => ({
    code: "200000",
    data: rows
      .map((row) => {
        const { time, open, high, low, close, volume } = row;
        return [time / 1_000, open, close, high, low, volume, turnover(row)].map(text);
      })
      .reverse(),
  }),
};

export const EXCHANGE_PROTOCOLS = { binance, bybit, okx, kraken, kucoin } as const;
