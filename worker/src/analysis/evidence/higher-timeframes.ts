import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { openingTime } from "../../market-data/candles.ts";
import { computeIndicators } from "../indicators.ts";
import { formatAtTick, type MarketBrief } from "../market-brief.ts";
import { candlesUntil } from "./candles-until.ts";
import { type EvidenceSource, isoTime } from "./evidence-source.ts";

/** Each is about 35 tokens of a model. */
const SHOWN_CANDLES = 6;

/** EMA(50) needs 50, and as many again to settle. */
const FETCHED_CANDLES = 120;

/** The two timeframes above that of the analysis, or as many as there are. */
export const higherTimeframes: EvidenceSource[] = [1, 2].map((steps) => ({
  key: `higher_timeframe_${steps}`,
  title: steps === 1 ? "Next higher timeframe" : "Second higher timeframe",
  covers: ({ brief }) => higherThan(brief.timeframe, steps) !== undefined,
  async gather({ brief, series }, deps) {
    const timeframe = higherThan(brief.timeframe, steps);
    if (!timeframe) return [];
    const until = brief.lastCandleAt;
    const request = { symbol: brief.symbol, timeframe, limit: FETCHED_CANDLES, until };
    const candles = await candlesUntil(request, series, deps);
    // One that has not arrived yet would make the newest known candle look like the last one.
    const lastAt = openingTime(until, timeframe);
    const last = candles.at(-1);
    if (!last || (!series.market && last.time + TIMEFRAME_MS[timeframe] < lastAt)) return [];
    return [describe(brief, { timeframe, candles, last, source: series.provider })];
  },
}));

const higherThan = (timeframe: Timeframe, steps: number): Timeframe | undefined =>
  TIMEFRAMES[TIMEFRAMES.indexOf(timeframe) + steps];

function describe(
  { scale }: MarketBrief,
  shown: { timeframe: Timeframe; candles: readonly Candle[]; last: Candle; source: string },
): EvidenceItem {
  const { timeframe, candles, last, source } = shown;
  const { trend, ema20, ema50, rsi14, atr14 } = computeIndicators({ candles, timeframe });
  const show = (value: number | null) => (value === null ? NOT_ENOUGH : formatAtTick(value, scale));
  const shownCandles = candles.slice(-SHOWN_CANDLES);
  const rows = shownCandles.map(({ time, open, high, low, close }) =>
    [minuteText(time), ...[open, high, low, close].map((price) => formatAtTick(price, scale))].join(
      ",",
    ),
  );
  const text = [
    `${timeframe}: trend ${trend ?? NOT_ENOUGH}, EMA 20 / 50 ${show(ema20)} / ${show(ema50)}, RSI(14) ${rsi14 === null ? NOT_ENOUGH : rsi14.toFixed(1)}, ATR(14) ${show(atr14)}`,
    `Last ${rows.length} closed candles of ${timeframe}, opening time UTC,open,high,low,close:`,
    ...rows,
  ].join("\n");
  const knownAt = last.time + TIMEFRAME_MS[timeframe];
  return { key: `candles_${timeframe}`, text, known_at: isoTime(knownAt), source };
}

const NOT_ENOUGH = "not available";

/** `2026-11-27 12:00`, in UTC as the heading says. */
const minuteText = (time: number): string => isoTime(time).slice(0, 16).replace("T", " ");
