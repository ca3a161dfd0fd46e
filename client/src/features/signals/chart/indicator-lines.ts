import type { Candle } from "@shared/contract/market-data.ts";
import { ATR, EMA } from "trading-signals";

export interface IndicatorLine {
  name: string;
  /** A color of the theme. */
  tone: "accent" | "wait" | "ink-faint";
  /** One for each candle; null before there are enough candles. */
  values: (number | null)[];
}

const FAST = 20;
const SLOW = 50;
const ATR_CANDLES = 14;
/** Distance of the bands from EMA 20. */
const BAND_ATRS = 2;

interface ShownIndicators {
  ema: boolean;
  atrBands: boolean;
}

export function indicatorLines(
  candles: readonly Candle[],
  shown: ShownIndicators,
): IndicatorLine[] {
  const fast = shown.ema || shown.atrBands ? emaOf(candles, FAST) : [];
  return [
    ...(shown.ema
      ? [
          { name: `EMA ${FAST}`, tone: "accent" as const, values: fast },
          { name: `EMA ${SLOW}`, tone: "wait" as const, values: emaOf(candles, SLOW) },
        ]
      : []),
    ...(shown.atrBands ? atrBands(candles, fast) : []),
  ];
}

function emaOf(candles: readonly Candle[], period: number): (number | null)[] {
  const ema = new EMA(period);
  return candles.map(({ close }) => {
    const average = ema.add(close);
    return ema.isStable ? average : null;
  });
}

function atrBands(candles: readonly Candle[], middle: readonly (number | null)[]): IndicatorLine[] {
  const atr = new ATR(ATR_CANDLES);
  const ranges = candles.map((candle) => atr.add(candle));
  const band = (name: string, atrs: number): IndicatorLine => ({
    name,
    tone: "ink-faint",
    values: ranges.map((range, index) => {
      const center = middle[index] ?? null;
      return range === null || center === null ? null : center + atrs * range;
    }),
  });
  return [band("Upper ATR band", BAND_ATRS), band("Lower ATR band", -BAND_ATRS)];
}
