import { formatDistance, formatNumber } from "@shared/node/signals/round-price.ts";
import { clampVote, type Voter } from "./vote.ts";

/** RSI beyond which a market counts as stretched. */
const OVERBOUGHT = 70;
const OVERSOLD = 30;

/** Histogram and slope, in ATR, that count in full. */
const FULL_HISTOGRAM_ATR = 0.1;
const FULL_SLOPE_ATR = 0.03;

/** RSI(14): with the move up to 70 (down to 30); past that it wears out, to nothing at 90 (10). */
export const voteOnRsi: Voter = ({ indicators }) => {
  const { rsi14 } = indicators;
  if (rsi14 === null) return null;
  const lean = (rsi14 - 50) / (OVERBOUGHT - 50);
  const strength = Math.abs(lean) <= 1 ? Math.abs(lean) : 2 - Math.abs(lean);
  return {
    topic: "RSI",
    value: clampVote(Math.sign(lean) * strength),
    weight: 1,
    evidence: `RSI(14) is ${formatNumber(rsi14, 1)}${describeStretch(rsi14)}.`,
  };
};

/** MACD(12, 26, 9): side of the histogram, and whether it grows. */
export const voteOnMacd: Voter = ({ indicators }) => {
  const { macd, atr14 } = indicators;
  if (macd === null || atr14 === null || atr14 === 0) return null;
  const { histogram, previousHistogram } = macd;
  const slope = previousHistogram === null ? 0 : histogram - previousHistogram;
  const side = clampVote(histogram / (FULL_HISTOGRAM_ATR * atr14));
  const growth = clampVote(slope / (FULL_SLOPE_ATR * atr14));
  return {
    topic: "MACD",
    value: 0.6 * side + 0.4 * growth,
    weight: 1.5,
    evidence: `The MACD histogram is ${formatDistance(histogram)} and ${describeSlope(slope)}.`,
  };
};

function describeStretch(rsi: number): string {
  if (rsi > OVERBOUGHT) return ", overbought";
  return rsi < OVERSOLD ? ", oversold" : "";
}

function describeSlope(slope: number): string {
  if (slope > 0) return "rising";
  return slope < 0 ? "falling" : "level";
}
