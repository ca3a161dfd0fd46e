import type { Timeframe } from "@shared/contract/candle.ts";
import {
  CRYPTO_MARKETS,
  type ExchangeProtocol,
  type ListedMarket,
  lookUp,
  numberIn,
} from "./protocol.ts";

const INTERVALS: Record<Timeframe, string> = {
  "1m": "1",
  "5m": "5",
  "15m": "15",
  "30m": "30",
  "1h": "60",
  "4h": "240",
  "1d": "D",
};
const idOf = ({ base, quote }: ListedMarket) => `${base}${quote}`;
const answer = (result: unknown) => ({
  retCode: 0,
  retMsg: "OK",
  result,
  retExtInfo: {},
  time: Date.now(),
});

/** Bybit v5 spot: newest candle first, `start` and `end` included, at most 1,000. */
export const bybitProtocol: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/v5/market/instruments-info",
  candlePaths: ["/v5/market/kline"],
  marketsBody: (markets) =>
    answer({
      category: "spot",
      list: markets.map((market) => ({
        symbol: idOf(market),
        baseCoin: market.base,
        quoteCoin: market.quote,
        innovation: "0",
        status: "Trading",
        marginTrading: "both",
        lotSizeFilter: {
          basePrecision: "0.000001",
          quotePrecision: "0.00000001",
          minOrderQty: "0.00004",
          maxOrderQty: "63.01197227",
          minOrderAmt: "1",
          maxOrderAmt: "100000",
        },
        priceFilter: { tickSize: "0.01" },
      })),
    }),
  candleQuery: (parameters) => {
    const found = lookUp({
      markets: CRYPTO_MARKETS,
      idOf,
      id: parameters.get("category") === "spot" ? parameters.get("symbol") : null,
      intervals: INTERVALS,
      interval: parameters.get("interval"),
    });
    if (!found) return null;
    const since = numberIn(parameters, "start");
    const end = numberIn(parameters, "end");
    return {
      ...found,
      since,
      until: end === undefined ? undefined : end + 1,
      limit: Math.min(numberIn(parameters, "limit") ?? 200, 1_000),
      keep: since !== undefined && end === undefined ? "oldest" : "newest",
    };
  },
  rejection: { status: 200, body: { retCode: 10001, retMsg: "Not supported symbols", result: {} } },
  candlesBody: (candles, { market }) =>
    answer({
      category: "spot",
      symbol: idOf(market),
      list: candles
        .map(({ time, open, high, low, close, volume }) =>
          [time, open, high, low, close, volume, volume * close].map(String),
        )
        .reverse(),
    }),
};
