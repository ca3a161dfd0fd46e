import { createHash } from "node:crypto";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import { priceScale, roundToTick } from "../analysis/market-brief.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";

/** Instead of the name of the market. Quoted in US dollars, so that nothing has to be converted. */
export const ANONYMOUS_SYMBOL = "MARKET/USD";

const WEEK_MS = 7 * DAY_MS;
const WEEKS = { min: 60, range: 500 } as const;
const PRICES = { min: 20, range: 400 } as const;
const MEAN_VOLUME = 1_000;

/** How one candle of a market is disguised: what a model remembers of it does not help then. */
export interface Disguise {
  symbol: string;
  priceFactor: number;
  volumeFactor: number;
  /** Whole weeks into the past: weekdays and times of day stay. */
  shiftMs: number;
}

/** The same for every worker. */
export function disguiseOf(symbol: string, candles: readonly Candle[]): Disguise {
  const last = candles.at(-1);
  const drawn = createHash("sha256").update(`${symbol} ${last?.time}`).digest();
  const share = (offset: number) => drawn.readUInt32BE(offset) / 2 ** 32;
  const volume = candles.reduce((sum, candle) => sum + candle.volume, 0) / candles.length;
  return {
    symbol,
    priceFactor: (PRICES.min + PRICES.range * share(0)) / (last?.close ?? 1),
    volumeFactor: volume > 0 ? MEAN_VOLUME / volume : 1,
    shiftMs: Math.round(WEEKS.min + WEEKS.range * share(4)) * WEEK_MS,
  };
}

const disguiseCandle = (
  { time, open, high, low, close, volume }: Candle,
  { priceFactor, volumeFactor, shiftMs }: Disguise,
): Candle => ({
  time: time - shiftMs,
  open: open * priceFactor,
  high: high * priceFactor,
  low: low * priceFactor,
  close: close * priceFactor,
  volume: volume * volumeFactor,
});

export function disguiseSeries(series: CandleSeries, disguise: Disguise): CandleSeries {
  const { provider, data, candles } = series;
  return {
    provider,
    data,
    // They name the market, or its time.
    notes: [],
    candles: candles.map((candle) => disguiseCandle(candle, disguise)),
  };
}

/** The market as the analyst sees it: `symbol` and times of its requests are disguised, too. */
export const disguiseMarket = (market: MarketData, disguise: Disguise): MarketData => ({
  async candles({ until, through, ...request }) {
    const { shiftMs } = disguise;
    const series = await market.candles({
      ...request,
      symbol: disguise.symbol,
      ...(until !== undefined && { until: until + shiftMs }),
      ...(through !== undefined && { through: through + shiftMs }),
    });
    return disguiseSeries(series, disguise);
  },
});

/** The analysis with the prices and times of the market; its words are as the analyst wrote them. */
export function revealAnalysis(
  analysis: UnsizedAnalysis,
  { symbol, priceFactor, shiftMs }: Disguise,
  series: CandleSeries,
): UnsizedAnalysis {
  const price = series.candles.at(-1)?.close ?? null;
  const scale = priceScale(symbol, price ?? 1);
  const level = (value: number | null) =>
    value === null ? null : roundToTick(value / priceFactor, scale);
  const time = (text: string | null | undefined) =>
    text ? new Date(Date.parse(text) + shiftMs).toISOString() : (text ?? null);
  const { source } = analysis;
  return {
    ...analysis,
    entry: level(analysis.entry),
    stop_loss: level(analysis.stop_loss),
    take_profit: level(analysis.take_profit),
    valid_until: time(analysis.valid_until),
    source: { ...source, price, last_candle_at: time(source.last_candle_at) },
  };
}
