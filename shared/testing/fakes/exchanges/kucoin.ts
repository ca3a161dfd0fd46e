import type { Timeframe } from "@shared/contract/candle.ts";
import {
  CRYPTO_MARKETS,
  type ExchangeProtocol,
  type ListedMarket,
  lookUp,
  numberIn,
} from "./protocol.ts";

const INTERVALS: Record<Timeframe, string> = {
  "1m": "1min",
  "5m": "5min",
  "15m": "15min",
  "30m": "30min",
  "1h": "1hour",
  "4h": "4hour",
  "1d": "1day",
};
const idOf = ({ base, quote }: ListedMarket) => `${base}-${quote}`;
const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000);

/**
 * KuCoin spot: newest candle first, `startAt` included and `endAt` excluded, in seconds, at most
 * 1,500.
 */
export const kucoinProtocol: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v2/symbols",
  candlePaths: ["/api/v1/market/candles"],
  marketsBody: (markets) => ({
    code: "200000",
    data: markets.map((market) => ({
      symbol: idOf(market),
      name: idOf(market),
      baseCurrency: market.base,
      quoteCurrency: market.quote,
      feeCurrency: market.quote,
      market: "USDS",
      baseMinSize: "0.00001",
      quoteMinSize: "0.1",
      baseMaxSize: "10000000000",
      quoteMaxSize: "99999999",
      baseIncrement: "0.00000001",
      quoteIncrement: "0.000001",
      priceIncrement: "0.1",
      priceLimitRate: "0.1",
      isMarginEnabled: true,
      enableTrading: true,
    })),
  }),
  candleQuery: (parameters) => {
    const found = lookUp({
      markets: CRYPTO_MARKETS,
      idOf,
      id: parameters.get("symbol"),
      intervals: INTERVALS,
      interval: parameters.get("type"),
    });
    return (
      found && {
        ...found,
        since: inMs(numberIn(parameters, "startAt")),
        until: inMs(numberIn(parameters, "endAt")),
        limit: 1_500,
        keep: "newest",
      }
    );
  },
  rejection: {
    status: 200,
    body: { code: "400100", msg: "This pair is not provided at present" },
  },
  candlesBody: (candles) => ({
    code: "200000",
    data: candles
      .map(({ time, open, high, low, close, volume }) =>
        [time / 1_000, open, close, high, low, volume, volume * close].map(String),
      )
      .reverse(),
  }),
};
