/** Kinds of markets, in the order of the filters. */
export const INSTRUMENT_CLASSES = ["crypto", "forex", "metal", "index", "oil", "stocks"] as const;
export type InstrumentClass = (typeof INSTRUMENT_CLASSES)[number];

interface ClassFacts {
  /** Heading of its symbols. */
  title: string;
  /** Its tab in the overview of the home page; the title if absent. Classes with the same share a tab. */
  tab?: string;
  /** What a position counts, if it is neither the base of a pair nor just units. */
  units?: string;
  /** Default of its setting, such as `TRADING_COSTS_OIL`. In percent, see `TradingCosts`. */
  costs: { spread_percent: number; commission_percent: number };
}

/**
 * What is known of each class. The costs are typical published ones of a retail account without volume discounts, as of
 * October 2026.
 *
 * - crypto: taker fee of perpetual futures in the fee schedules of Binance (USDⓈ-M, regular user), OKX and Kraken, and
 *   the spread in their order books for large coins. Not the spot fee of 0.1 %: a signal may sell and use leverage.
 * - forex, metal, index, oil: average spreads in the price lists of CFD brokers such as OANDA, for accounts without
 *   commission: 0.6 to 1.5 pips for major pairs, 0.3 to 0.5 USD for gold, 2 to 4 points for the Dow, 3 to 4 cents for oil.
 *   Silver costs more, about 0.06 %.
 * - stocks: a spread of a cent or two in the order books of large US stocks, and 2 to 5 cents a share as commission.
 */
export const CLASS_FACTS: Readonly<Record<InstrumentClass, ClassFacts>> = {
  crypto: { title: "Crypto", costs: { spread_percent: 0.01, commission_percent: 0.05 } },
  forex: { title: "Forex", costs: { spread_percent: 0.015, commission_percent: 0 } },
  metal: {
    title: "Metals",
    tab: "Metals and oil",
    costs: { spread_percent: 0.02, commission_percent: 0 },
  },
  index: { title: "Indices", costs: { spread_percent: 0.015, commission_percent: 0 } },
  oil: {
    title: "Oil",
    tab: "Metals and oil",
    costs: { spread_percent: 0.05, commission_percent: 0 },
  },
  stocks: {
    title: "Stocks",
    units: "shares",
    costs: { spread_percent: 0.02, commission_percent: 0.02 },
  },
};

/**
 * Trading hours in New York time: `always`; `forex` from Sunday 17:00 to Friday 17:00; `futures` likewise from Sunday
 * 18:00, with a daily break from 17:00 to 18:00; `us-stocks` from 9:30 to 16:00 on weekdays.
 */
export const TRADING_HOURS = ["always", "forex", "futures", "us-stocks"] as const;
export type TradingHours = (typeof TRADING_HOURS)[number];

interface InstrumentOf<Name extends string> {
  symbol: Name;
  /** Whether the symbol field suggests it. Others are found by the start of their symbol or name. */
  isSuggested: boolean;
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

function basicsOf<Name extends string>(symbol: Name, decimals: number) {
  const [base = symbol, quote = "USD"]: readonly string[] = symbol.split("/");
  return { symbol, isSuggested: true, base, quote, decimals, tick: Number(`1e-${decimals}`) };
}

function coin<Name extends string>(
  symbol: Name,
  name: string,
  decimals: number,
): InstrumentOf<Name> {
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

function currencyPair<Name extends string>(
  symbol: Name,
  name: string,
  decimals: number,
): InstrumentOf<Name> {
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

type FutureFacts = Pick<InstrumentOf<string>, "name" | "class" | "decimals" | "unit"> &
  Pick<InstrumentOf<string>, "contract" | "lotUnits"> & { oanda: string; ticker: string };

function future<Name extends string>(symbol: Name, facts: FutureFacts): InstrumentOf<Name> {
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

function index<Name extends string>(
  symbol: Name,
  name: string,
  ticker: string,
): InstrumentOf<Name> {
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

/** Of Nasdaq. OANDA has no single stocks. */
function stock<Name extends string>(symbol: Name, name: string): InstrumentOf<Name> {
  return {
    ...basicsOf(symbol, 2),
    isSuggested: false,
    name,
    class: "stocks",
    hours: "us-stocks",
    exchanges: [],
    yahoo: { ticker: symbol, hours: "us-stocks" },
    tradingView: `NASDAQ:${symbol}`,
    unit: `1 share of ${name}`,
    contract: "Not every broker sells fractions of a share; check yours.",
  };
}

const OIL = {
  class: "oil",
  decimals: 3,
  unit: "1 barrel",
  contract: "One standard lot is 1,000 barrels.",
  lotUnits: 1_000,
} as const;

/** The product's own symbols, in the order in which they are listed. */
const DECLARED = [
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
  stock("AAPL", "Apple"),
  stock("MSFT", "Microsoft"),
];

/** A symbol that is declared here. */
export type ProductSymbol = (typeof DECLARED)[number]["symbol"];

/** Static facts of one of the product's own symbols. */
export type Instrument = InstrumentOf<ProductSymbol>;

export const INSTRUMENTS: readonly Instrument[] = DECLARED;

export const PRODUCT_SYMBOLS: readonly ProductSymbol[] = INSTRUMENTS.map(({ symbol }) => symbol);

/** Suggestions of the symbol field, in order. */
export const SYMBOL_SUGGESTIONS: readonly ProductSymbol[] = INSTRUMENTS.filter(
  ({ isSuggested }) => isSuggested,
).map(({ symbol }) => symbol);

/** The classes in the order in which their symbols are listed. */
export const LISTED_CLASSES: readonly InstrumentClass[] = [
  ...new Set(INSTRUMENTS.map((one) => one.class)),
];

const bySymbol = new Map<string, Instrument>(INSTRUMENTS.map((one) => [one.symbol, one]));

export function findInstrument(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol);
}

/** Class of a symbol. Other than the product's own symbols are crypto markets. */
export function instrumentClass(symbol: string): InstrumentClass {
  return findInstrument(symbol)?.class ?? "crypto";
}
