import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { roundTripPercent, type TradingCosts } from "@shared/contract/resolution.ts";
import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { resampleTraded } from "../market-data/candles.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { unaskedWait } from "./compose-analysis.ts";
import { computeIndicators } from "./indicators.ts";
import type { MarketBrief } from "./market-brief.ts";
import { canPass, MAX_COST_SHARE, TRADE_BOUNDS } from "./validate-advice.ts";

interface MarketToCheck {
  brief: MarketBrief;
  /** Those of the brief and those before them. */
  candles: readonly Candle[];
  costs: TradingCosts;
}

/** The WAIT of a market where no advice could become a trade, from any analyst; null if one could. */
export function analyseUntradableMarket(
  { brief, costs }: Omit<MarketToCheck, "candles">,
  series: CandleSeries,
): UnsizedAnalysis | null {
  const reason = untradableReason({ brief, candles: series.candles, costs });
  if (reason === null) return null;
  const warnings = [...series.notes, `${reason} No analysis was made, and you were not charged.`];
  const condition = "Too quiet for its trading costs";
  return unaskedWait({ reason, condition, warnings, series, lastCandleAt: brief.lastCandleAt });
}

/** Why no trade of this timeframe can pass the checks, with the shortest one in which a trade could; null if one can. */
export function untradableReason({ brief, candles, costs }: MarketToCheck): string | null {
  const { price, scale, timeframe, indicators } = brief;
  const { atr14: atr } = indicators;
  if (atr === null || canPass({ price, atr, scale }, costs)) return null;
  const farthest = (100 * TRADE_BOUNDS.maxStopAtr * atr) / price;
  const longer = longerAtrs({ timeframe, atr, candles }).find((one) =>
    canPass({ price, atr: one.atr, scale }, costs),
  );
  const advice = longer
    ? `The shortest timeframe that would do is ${longer.timeframe}.`
    : "No longer timeframe would do.";
  return (
    `No trade is possible in ${timeframe}: with the farthest stop, ${percent(farthest)} from the entry ` +
    `(${TRADE_BOUNDS.maxStopAtr} ATR), its trading costs of ${percent(roundTripPercent(costs))} of the price ` +
    `would still take more than ${percent(100 * MAX_COST_SHARE)} of its risk. ${advice}`
  );
}

const percent = (value: number): string => `${formatNumber(value, 3)}%`;

/** ATR(14) needs 14 candles, and as many again to settle. */
const MIN_CANDLES = 30;

interface TimeframeAtr {
  timeframe: Timeframe;
  atr: number;
}

/**
 * ATR(14) of each longer timeframe: measured as far as the candles reach, and from there by the square root of time, as for
 * a random walk.
 */
function longerAtrs({
  timeframe,
  atr,
  candles,
}: TimeframeAtr & { candles: readonly Candle[] }): TimeframeAtr[] {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const closedUntil = (candles.at(-1)?.time ?? 0) + lengthMs;
  let measured: TimeframeAtr = { timeframe, atr };
  return TIMEFRAMES.filter((longer) => TIMEFRAME_MS[longer] > lengthMs).map((longer) => {
    const merged = resampleTraded(candles, { lengthMs: TIMEFRAME_MS[longer], closedUntil });
    const known =
      merged.length < MIN_CANDLES
        ? null
        : computeIndicators({ candles: merged, timeframe: longer }).atr14;
    if (known !== null) measured = { timeframe: longer, atr: known };
    const ratio = TIMEFRAME_MS[longer] / TIMEFRAME_MS[measured.timeframe];
    return { timeframe: longer, atr: measured.atr * Math.sqrt(ratio) };
  });
}
