import type { SYMBOL_SUGGESTIONS } from "./constants.ts";

/** Kinds of markets. */
export const INSTRUMENT_CLASSES = ["crypto", "forex", "metal", "index", "oil"] as const;
export type InstrumentClass = (typeof INSTRUMENT_CLASSES)[number];

/**
 * Trading hours in New York time: `always`; `forex` from Sunday 17:00 to Friday 17:00; `futures` likewise from Sunday
 * 18:00, with a daily break from 17:00 to 18:00; `us-stocks` from 9:30 to 16:00 on weekdays.
 */
export type TradingHours = "always" | "forex" | "futures" | "us-stocks";

/** Static facts of one of the product's own symbols. */
export interface Instrument {
  symbol: (typeof SYMBOL_SUGGESTIONS)[number];
  name: string;
  class: InstrumentClass;
  base: string;
  quote: string;
  /** Smallest price step, in the quote currency. */
  tick: number;
  /** Decimals of a quoted price. */
  decimals: number;
  hours: TradingHours;
  /** ccxt exchanges with this market; all if absent. */
  exchanges?: readonly string[];
  oanda?: string;
  /** Ticker of Yahoo's chart endpoint, and its trading hours. */
  yahoo?: { ticker: string; hours: TradingHours };
  tradingView: string;
  /** One unit of a position, and a contract of it. */
  unit: string;
  contract?: string;
  /** Units of a standard lot, if brokers use lots. */
  lotUnits?: number;
}

type ProductSymbol = Instrument["symbol"];

function basicsOf(symbol: ProductSymbol, decimals: number) {
  const [base = symbol, quote = "USD"] = symbol.split("/");
  return { symbol, base, quote, decimals, tick: Number(`1e-${decimals}`) };
}

function coin(symbol: ProductSymbol, name: string, decimals: number): Instrument {
  const basics = basicsOf(symbol, decimals);
  const { base, quote } = basics;
  return {
    ...basics,
    name,
    class: "crypto",
    hours: "always",
    tradingView: `BINANCE:${base}${quote}`,
    unit: `1 ${base}`,
  };
}

function currencyPair(symbol: ProductSymbol, name: string, decimals: number): Instrument {
  const basics = basicsOf(symbol, decimals);
  const { base, quote } = basics;
  return {
    ...basics,
    name,
    class: "forex",
    hours: "forex",
    exchanges: ["kraken"],
    oanda: `${base}_${quote}`,
    yahoo: { ticker: `${base}${quote}=X`, hours: "forex" },
    tradingView: `FX:${base}${quote}`,
    unit: `1 ${base}`,
    contract: `One standard lot is 100,000 ${base}.`,
    lotUnits: 100_000,
  };
}

function future(
  symbol: ProductSymbol,
  facts: Pick<Instrument, "name" | "class" | "decimals" | "unit" | "contract" | "lotUnits"> & {
    oanda: string;
    ticker: string;
  },
): Instrument {
  const { decimals, oanda, ticker, ...own } = facts;
  return {
    ...basicsOf(symbol, decimals),
    ...own,
    hours: "futures",
    exchanges: [],
    oanda,
    yahoo: { ticker, hours: "futures" },
    tradingView: `OANDA:${oanda.replace("_", "")}`,
  };
}

function index(symbol: ProductSymbol, name: string, ticker: string): Instrument {
  return {
    ...basicsOf(symbol, 1),
    name,
    class: "index",
    hours: "futures",
    exchanges: [],
    oanda: `${symbol}_USD`,
    yahoo: { ticker, hours: "us-stocks" },
    tradingView: `OANDA:${symbol}USD`,
    unit: "1 USD per index point",
    contract: "One CFD contract usually is 1 USD per index point; check your broker's.",
  };
}

const OIL = {
  class: "oil",
  decimals: 3,
  unit: "1 barrel",
  contract: "One standard lot is 1,000 barrels.",
  lotUnits: 1_000,
} as const;

/** The product's own symbols, in the order of the suggestions. */
export const INSTRUMENTS: readonly Instrument[] = [
  coin("BTC/USDT", "Bitcoin", 2),
  coin("ETH/USDT", "Ether", 2),
  coin("BNB/USDT", "BNB", 2),
  coin("ADA/USDT", "Cardano", 4),
  coin("SOL/USDT", "Solana", 2),
  coin("XRP/USDT", "XRP", 4),
  coin("LTC/USDT", "Litecoin", 2),
  coin("DOGE/USDT", "Dogecoin", 5),
  future("XAU/USD", {
    name: "Gold",
    class: "metal",
    decimals: 3,
    oanda: "XAU_USD",
    ticker: "GC=F",
    unit: "1 ounce of gold",
    contract: "One standard lot is 100 ounces.",
    lotUnits: 100,
  }),
  future("XAG/USD", {
    name: "Silver",
    class: "metal",
    decimals: 5,
    oanda: "XAG_USD",
    ticker: "SI=F",
    unit: "1 ounce of silver",
    contract: "One standard lot is 5,000 ounces.",
    lotUnits: 5_000,
  }),
  currencyPair("EUR/USD", "Euro / US dollar", 5),
  currencyPair("GBP/USD", "Pound / US dollar", 5),
  currencyPair("AUD/USD", "Australian dollar / US dollar", 5),
  currencyPair("USD/JPY", "US dollar / Yen", 3),
  index("US30", "Dow Jones 30", "^DJI"),
  index("NAS100", "Nasdaq 100", "^NDX"),
  index("SPX500", "S&P 500", "^GSPC"),
  future("WTI", { name: "Crude oil (WTI)", oanda: "WTICO_USD", ticker: "CL=F", ...OIL }),
  future("BRENT", { name: "Crude oil (Brent)", oanda: "BCO_USD", ticker: "BZ=F", ...OIL }),
];

const bySymbol = new Map<string, Instrument>(INSTRUMENTS.map((one) => [one.symbol, one]));

export function findInstrument(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol);
}

/** Class of a symbol. Other than the product's own symbols are crypto markets. */
export function instrumentClass(symbol: string): InstrumentClass {
  return findInstrument(symbol)?.class ?? "crypto";
}
