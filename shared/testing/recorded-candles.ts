import { readFileSync } from "node:fs";
import type { ProductSymbol } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { parseCandleCsv } from "@shared/outcomes/resolve-again.ts";

const DATA_DIRECTORY = new URL("../../worker/src/market-data/replay/data/", import.meta.url);

/** A recording for a symbol: its own, or that of a similar market scaled to its price. */
interface Recording {
  market: string;
  timeframes: readonly Timeframe[];
  scale: number;
}

const CRYPTO: readonly Timeframe[] = ["5m", "30m", "1h", "1d"];

/** Further coins, so that some markets of an exchange can fail and others work. */
export const OTHER_COINS = [
  "AAVE",
  "ALGO",
  "ATOM",
  "AVAX",
  "BCH",
  "COMP",
  "CRV",
  "DASH",
  "DOT",
  "EGLD",
  "ENJ",
  "ETC",
  "FIL",
  "LINK",
  "MANA",
  "NEAR",
] as const;

const OF_PRODUCT: Readonly<Record<ProductSymbol, Recording>> = {
  "BTC/USDT": { market: "BTC-USDT", timeframes: CRYPTO, scale: 1 },
  "ETH/USDT": { market: "ETH-USDT", timeframes: CRYPTO, scale: 1 },
  "BNB/USDT": { market: "BNB-USDT", timeframes: CRYPTO, scale: 1 },
  "XRP/USDT": { market: "XRP-USDT", timeframes: CRYPTO, scale: 1 },
  "ADA/USDT": { market: "XRP-USDT", timeframes: CRYPTO, scale: 0.27 },
  "SOL/USDT": { market: "BNB-USDT", timeframes: CRYPTO, scale: 0.17 },
  "LTC/USDT": { market: "ETH-USDT", timeframes: CRYPTO, scale: 0.024 },
  "DOGE/USDT": { market: "XRP-USDT", timeframes: CRYPTO, scale: 0.08 },
  "EUR/USD": { market: "EUR-USD", timeframes: ["1h"], scale: 1 },
  "GBP/USD": { market: "GBP-USD", timeframes: ["1d"], scale: 1 },
  "AUD/USD": { market: "EUR-USD", timeframes: ["1h"], scale: 0.57 },
  "USD/JPY": { market: "EUR-USD", timeframes: ["1h"], scale: 130 },
  "XAU/USD": { market: "XAU-USD", timeframes: ["1h"], scale: 1 },
  "XAG/USD": { market: "XAU-USD", timeframes: ["1h"], scale: 0.012 },
  US30: { market: "XAU-USD", timeframes: ["1h"], scale: 35 },
  NAS100: { market: "XAU-USD", timeframes: ["1h"], scale: 19 },
  SPX500: { market: "XAU-USD", timeframes: ["1h"], scale: 5 },
  WTI: { market: "XAU-USD", timeframes: ["1h"], scale: 0.045 },
  BRENT: { market: "XAU-USD", timeframes: ["1h"], scale: 0.048 },
  AAPL: { market: "XAU-USD", timeframes: ["1h"], scale: 0.2 },
  MSFT: { market: "XAU-USD", timeframes: ["1h"], scale: 0.39 },
};

const RECORDINGS: ReadonlyMap<string, Recording> = new Map([
  ...Object.entries(OF_PRODUCT),
  ...OTHER_COINS.map((coin): [string, Recording] => [`${coin}/USDT`, OF_PRODUCT["XRP/USDT"]]),
]);

const parsedFiles = new Map<string, Candle[]>();

export interface CandleSpan {
  symbol: string;
  timeframe: Timeframe;
  /** Opening time of the first, Unix ms. */
  from: number;
  count: number;
}

/**
 * `count` candles from the opening time `from`, made of recorded ones: the same for the same time, and without jumps
 * between neighbours. Empty for a symbol without a recording.
 */
export function recordedCandles(options: CandleSpan): Candle[] {
  const recording = RECORDINGS.get(options.symbol);
  if (!recording) return [];
  const candles = read(recording, options.timeframe);
  const lengthMs = TIMEFRAME_MS[options.timeframe];
  return Array.from({ length: options.count }, (_, index) => {
    const time = options.from + index * lengthMs;
    return { ...scaled(atStep(candles, time / lengthMs), recording.scale), time };
  });
}

/** Goes forward through the recording and back, so that neighbours always meet. */
function atStep(candles: readonly Candle[], step: number): Candle {
  const phase = step % (2 * candles.length);
  const backward = phase >= candles.length;
  const candle = candles[backward ? 2 * candles.length - 1 - phase : phase];
  if (!candle) throw new RangeError("the recording is empty");
  return backward ? { ...candle, open: candle.close, close: candle.open } : candle;
}

function scaled(candle: Candle, scale: number): Candle {
  const price = (value: number) => Number((value * scale).toPrecision(9));
  return {
    ...candle,
    open: price(candle.open),
    high: price(candle.high),
    low: price(candle.low),
    close: price(candle.close),
  };
}

function read({ market, timeframes }: Recording, timeframe: Timeframe): Candle[] {
  const recorded = timeframes.includes(timeframe) ? timeframe : timeframes[0];
  const file = `${market}.${recorded}.csv`;
  const candles =
    parsedFiles.get(file) ?? parseCandleCsv(readFileSync(new URL(file, DATA_DIRECTORY), "utf8"));
  parsedFiles.set(file, candles);
  return candles;
}
