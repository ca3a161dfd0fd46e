import type { Timeframe } from "@shared/contract/candle.ts";
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
  "1h": "1H",
  "4h": "4H",
  "1d": "1Dutc",
};
const idOf = ({ base, quote }: ListedMarket) => `${base}-${quote}`;

/** OKX v5: newest candle first, `before` and `after` excluded, at most 300. */
export const okxProtocol: ExchangeProtocol = {
  markets: CRYPTO_MARKETS,
  marketsPath: "/api/v5/public/instruments",
  candlePaths: ["/api/v5/market/candles", "/api/v5/market/history-candles"],
  marketsBody: (markets) => ({
    code: "0",
    msg: "",
    data: markets.map((market) => ({
      instType: "SPOT",
      instId: idOf(market),
      baseCcy: market.base,
      quoteCcy: market.quote,
      category: "1",
      lever: "10",
      listTime: "1548133413000",
      lotSz: "0.00000001",
      minSz: "0.00001",
      tickSz: "0.1",
      settleCcy: "",
      state: "live",
      uly: "",
    })),
  }),
  candleQuery: (parameters) => {
    const found = lookUp({
      markets: CRYPTO_MARKETS,
      idOf,
      id: parameters.get("instId"),
      intervals: INTERVALS,
      interval: parameters.get("bar"),
    });
    if (!found) return null;
    const before = numberIn(parameters, "before");
    return {
      ...found,
      since: before === undefined ? undefined : before + 1,
      until: numberIn(parameters, "after"),
      limit: Math.min(numberIn(parameters, "limit") ?? 100, 300),
      keep: "newest",
    };
  },
  rejection: {
    status: 200,
    body: { code: "51001", data: [], msg: "Instrument ID doesn't exist." },
  },
  candlesBody: (candles) => ({
    code: "0",
    msg: "",
    data: candles
      .map(({ time, open, high, low, close, volume, isOpen }) => [
        ...[time, open, high, low, close, volume, volume * close, volume * close].map(String),
        isOpen ? "0" : "1",
      ])
      .reverse(),
  }),
};
