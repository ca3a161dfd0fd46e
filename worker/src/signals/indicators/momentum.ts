import { EMA, MACD, type MACDResult, RSI } from "trading-signals";

/** Moving average convergence/divergence (12, 26, 9), in the quote currency. */
export interface Macd {
  macd: number;
  signal: number;
  histogram: number;
  /** The histogram one candle earlier, null where that one was not yet stable. */
  previousHistogram: number | null;
}

/** Wilder's relative strength index (New Concepts in Technical Trading Systems, 1978), 0–100. */
export function computeRsi(closes: readonly number[], period: number): number | null {
  const rsi = new RSI(period);
  rsi.updates(closes);
  return rsi.getResult();
}

/** Appel's MACD with exponential averages of 12 and 26 and a signal line of 9. */
export function computeMacd(closes: readonly number[]): Macd | null {
  const signal = new EMA(9);
  const macd = new MACD(new EMA(12), new EMA(26), signal);
  const stable: MACDResult[] = [];
  for (const close of closes) {
    const result = macd.add(close);
    // MACD reports itself stable while its signal line still warms up.
    if (result && signal.isStable) stable.push(result);
  }
  const last = stable.at(-1);
  return last ? { ...last, previousHistogram: stable.at(-2)?.histogram ?? null } : null;
}
