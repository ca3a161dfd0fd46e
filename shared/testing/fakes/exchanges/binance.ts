import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import {
  CRYPTO_MARKETS,
  type ExchangeProtocol,
  type ListedMarket,
  lookUp,
  numberIn,
} from "./protocol.ts";

const INTERVALS: Record<Timeframe, string> = {
  "1m": "1m",
  "5m": "5m",
  "15m": "15m",
  "30m": "30m",
  "1h": "1h",
  "4h": "4h",
  "1d": "1d",
};
const idOf = ({ base, quote }: ListedMarket) => `${base}${quote}`;

/** Binance spot: oldest candle first, `startTime` and `endTime` included, at most 1,000. */
export const binanceProtocol: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v3/exchangeInfo",
  candlePaths: ["/api/v3/klines"],
  marketsBody: (markets) => ({
    timezone: "UTC",
    serverTime: Date.now(),
    rateLimits: [],
    exchangeFilters: [],
    symbols: markets.map((market) => ({
      symbol: idOf(market),
      status: "TRADING",
      baseAsset: market.base,
      baseAssetPrecision: 8,
      quoteAsset: market.quote,
      quotePrecision: 8,
      quoteAssetPrecision: 8,
      orderTypes: ["LIMIT", "MARKET"],
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: true,
      filters: [
        {
          filterType: "PRICE_FILTER",
          minPrice: "0.00001",
          maxPrice: "1000000",
          tickSize: "0.00001",
        },
        { filterType: "LOT_SIZE", minQty: "0.00001", maxQty: "9000", stepSize: "0.00001" },
      ],
      permissions: [],
      permissionSets: [["SPOT"]],
    })),
  }),
  candleQuery: (parameters) => {
    const found = lookUp({
      markets: CRYPTO_MARKETS,
      idOf,
      id: parameters.get("symbol"),
      intervals: INTERVALS,
      interval: parameters.get("interval"),
    });
    if (!found) return null;
    const since = numberIn(parameters, "startTime");
    const endTime = numberIn(parameters, "endTime");
    return {
      ...found,
      since,
      until: endTime === undefined ? undefined : endTime + 1,
      limit: Math.min(numberIn(parameters, "limit") ?? 500, 1_000),
      keep: since === undefined ? "newest" : "oldest",
    };
  },
  rejection: { status: 400, body: { code: -1121, msg: "Invalid symbol." } },
  candlesBody: (candles, { timeframe }) =>
    candles.map(({ time, open, high, low, close, volume }) => [
      time,
      ...[open, high, low, close, volume].map(String),
      time + TIMEFRAME_MS[timeframe] - 1,
      String(volume * close),
      100,
      String(volume / 2),
      String((volume * close) / 2),
      "0",
    ]),
};
