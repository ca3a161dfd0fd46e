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
  "1d": "1440",
};
const FOREX: readonly ListedMarket[] = [
  { base: "EUR", quote: "USD" },
  { base: "GBP", quote: "USD" },
  { base: "AUD", quote: "USD" },
  { base: "USD", quote: "JPY" },
];
const MARKETS = [...CRYPTO_MARKETS, ...FOREX];

/**
 * Kraken's own names: some coins are called otherwise, older coins carry an X and currencies a Z.
 */
const ALTNAMES: Readonly<Record<string, string>> = { BTC: "XBT", DOGE: "XDG" };
const ASSETS: Readonly<Record<string, string>> = {
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
const altname = (currency: string) => ALTNAMES[currency] ?? currency;
const asset = (currency: string) => ASSETS[currency] ?? currency;
const LONG_IDS = new Set(["EUR/USD", "GBP/USD", "USD/JPY"]);

function idOf({ base, quote }: ListedMarket): string {
  const name = LONG_IDS.has(`${base}/${quote}`) ? asset : altname;
  return `${name(base)}${name(quote)}`;
}

/**
 * Kraken: oldest candle first, `since` excluded, never more than the latest 720; the only one here
 * with currencies.
 */
export const krakenProtocol: ExchangeProtocol = {
  markets: MARKETS,
  marketsPath: "/0/public/AssetPairs",
  candlePaths: ["/0/public/OHLC"],
  marketsBody: (markets) => ({
    error: [],
    result: Object.fromEntries(
      markets.map((market) => [
        idOf(market),
        {
          altname: `${altname(market.base)}${altname(market.quote)}`,
          wsname: `${altname(market.base)}/${altname(market.quote)}`,
          aclass_base: "currency",
          base: asset(market.base),
          aclass_quote: "currency",
          quote: asset(market.quote),
          lot: "unit",
          pair_decimals: 5,
          lot_decimals: 8,
          lot_multiplier: 1,
          leverage_buy: [],
          leverage_sell: [],
          fees: [[0, 0.4]],
          fees_maker: [[0, 0.25]],
          fee_volume_currency: "ZUSD",
          margin_call: 80,
          margin_stop: 40,
          ordermin: "0.0001",
          costmin: "0.5",
          tick_size: "0.00001",
          status: "online",
        },
      ]),
    ),
  }),
  candleQuery: (parameters) => {
    const found = lookUp({
      markets: MARKETS,
      idOf,
      id: parameters.get("pair"),
      intervals: INTERVALS,
      interval: parameters.get("interval") ?? "1",
    });
    const since = numberIn(parameters, "since");
    return (
      found && {
        ...found,
        since: since === undefined ? undefined : since * 1_000 + 1,
        until: undefined,
        limit: 720,
        keep: "newest",
      }
    );
  },
  rejection: { status: 200, body: { error: ["EQuery:Unknown asset pair"] } },
  candlesBody: (candles, { market }) => ({
    error: [],
    result: {
      [idOf(market)]: candles.map(({ time, open, high, low, close, volume }) => [
        time / 1_000,
        ...[open, high, low, close, close, volume].map(String),
        100,
      ]),
      last: (candles.at(-2)?.time ?? 0) / 1_000,
    },
  }),
};
