import { SYMBOL_SUGGESTIONS } from "./constants.ts";

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
  /** Name in OANDA's v20 API. */
  oanda?: string;
  /** Ticker of Yahoo's chart endpoint, and its trading hours. */
  yahoo?: { ticker: string; hours: TradingHours };
  /** Name on TradingView. */
  tradingView: string;
  /** One unit of a position, and a contract of it. */
  unit: string;
  contract?: string;
  /** Units of a standard lot, if brokers use lots. */
  lotUnits?: number;
}

type Listing = Omit<Instrument, "symbol">;

function coin(options: { base: string; name: string; tick: number; decimals: number }): Listing {
  const { base, name, tick, decimals } = options;
  const own = { name, tick, decimals, class: "crypto", base, quote: "USDT" } as const;
  return {
    ...own,
    hours: "always",
    tradingView: `BINANCE:${base}USDT`,
    unit: `1 ${base}`,
  };
}

function currencyPair(options: {
  base: string;
  quote: string;
  name: string;
  decimals: number;
}): Listing {
  const { base, quote, name, decimals } = options;
  return {
    name,
    class: "forex",
    base,
    quote,
    decimals,
    tick: Number(`1e-${decimals}`),
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

function future(options: {
  base: string;
  name: string;
  class: "metal" | "oil";
  oanda: string;
  ticker: string;
  tick: number;
  decimals: number;
  unit: string;
  contract: string;
  lotUnits: number;
}): Listing {
  const { oanda, ticker, ...own } = options;
  return {
    ...own,
    quote: "USD",
    hours: "futures",
    exchanges: [],
    oanda,
    yahoo: { ticker, hours: "futures" },
    tradingView: `OANDA:${oanda.replace("_", "")}`,
  };
}

function index(options: { base: string; name: string; ticker: string }): Listing {
  const { base, name, ticker } = options;
  return {
    name,
    class: "index",
    base,
    quote: "USD",
    tick: 0.1,
    decimals: 1,
    hours: "futures",
    exchanges: [],
    oanda: `${base}_USD`,
    yahoo: { ticker, hours: "us-stocks" },
    tradingView: `OANDA:${base}USD`,
    unit: "1 USD per index point",
    contract: "One CFD contract usually is 1 USD per index point; check your broker's.",
  };
}

const ounce = (metal: string) => `1 ounce of ${metal}`;
const barrel = {
  unit: "1 barrel",
  contract: "One standard lot is 1,000 barrels.",
  lotUnits: 1_000,
} as const;

const TABLE: Readonly<Record<(typeof SYMBOL_SUGGESTIONS)[number], Listing>> = {
  "BTC/USDT": coin({ base: "BTC", name: "Bitcoin", tick: 0.01, decimals: 2 }),
  "ETH/USDT": coin({ base: "ETH", name: "Ether", tick: 0.01, decimals: 2 }),
  "BNB/USDT": coin({ base: "BNB", name: "BNB", tick: 0.01, decimals: 2 }),
  "ADA/USDT": coin({ base: "ADA", name: "Cardano", tick: 0.0001, decimals: 4 }),
  "SOL/USDT": coin({ base: "SOL", name: "Solana", tick: 0.01, decimals: 2 }),
  "XRP/USDT": coin({ base: "XRP", name: "XRP", tick: 0.0001, decimals: 4 }),
  "LTC/USDT": coin({ base: "LTC", name: "Litecoin", tick: 0.01, decimals: 2 }),
  "DOGE/USDT": coin({ base: "DOGE", name: "Dogecoin", tick: 0.00001, decimals: 5 }),
  "XAU/USD": future({
    base: "XAU",
    name: "Gold",
    class: "metal",
    oanda: "XAU_USD",
    ticker: "GC=F",
    tick: 0.001,
    decimals: 3,
    unit: ounce("gold"),
    contract: "One standard lot is 100 ounces.",
    lotUnits: 100,
  }),
  "XAG/USD": future({
    base: "XAG",
    name: "Silver",
    class: "metal",
    oanda: "XAG_USD",
    ticker: "SI=F",
    tick: 0.00001,
    decimals: 5,
    unit: ounce("silver"),
    contract: "One standard lot is 5,000 ounces.",
    lotUnits: 5_000,
  }),
  "EUR/USD": currencyPair({ base: "EUR", quote: "USD", name: "Euro / US dollar", decimals: 5 }),
  "GBP/USD": currencyPair({ base: "GBP", quote: "USD", name: "Pound / US dollar", decimals: 5 }),
  "AUD/USD": currencyPair({
    base: "AUD",
    quote: "USD",
    name: "Australian dollar / US dollar",
    decimals: 5,
  }),
  "USD/JPY": currencyPair({ base: "USD", quote: "JPY", name: "US dollar / Yen", decimals: 3 }),
  US30: index({ base: "US30", name: "Dow Jones 30", ticker: "^DJI" }),
  NAS100: index({ base: "NAS100", name: "Nasdaq 100", ticker: "^NDX" }),
  SPX500: index({ base: "SPX500", name: "S&P 500", ticker: "^GSPC" }),
  WTI: future({
    base: "WTI",
    name: "Crude oil (WTI)",
    class: "oil",
    oanda: "WTICO_USD",
    ticker: "CL=F",
    tick: 0.001,
    decimals: 3,
    ...barrel,
  }),
  BRENT: future({
    base: "BRENT",
    name: "Crude oil (Brent)",
    class: "oil",
    oanda: "BCO_USD",
    ticker: "BZ=F",
    tick: 0.001,
    decimals: 3,
    ...barrel,
  }),
};

/** The product's own symbols, in the order of the suggestions. */
export const INSTRUMENTS: readonly Instrument[] = SYMBOL_SUGGESTIONS.map((symbol) => ({
  symbol,
  ...TABLE[symbol],
}));

const bySymbol = new Map<string, Instrument>(INSTRUMENTS.map((one) => [one.symbol, one]));

export function findInstrument(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol);
}

/** Class of a symbol. Other than the product's own symbols are crypto markets. */
export function instrumentClass(symbol: string): InstrumentClass {
  return findInstrument(symbol)?.class ?? "crypto";
}
