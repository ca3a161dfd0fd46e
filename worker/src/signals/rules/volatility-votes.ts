import { formatNumber } from "@shared/node/signals/round-price.ts";
import { formatAtTick } from "../price-scale.ts";
import { clampVote, type Voter } from "./vote.ts";

/** ATR against its usual size from which a market counts as moving, and a close outside the bands as a breakout. */
const LIVELY_ATR_RATIO = 1.1;

/** Share of the half-width of the bands from which a calm market tends back to the middle. */
const STRETCHED = 0.8;

/** Bollinger(20, 2): with the price inside the bands; at the edge a breakout if the market is lively, else a return. */
export const voteOnBands: Voter = ({ price, scale, indicators }) => {
  const { bollinger20: bands, atrRatio } = indicators;
  if (bands === null || bands.upper === bands.middle) return null;
  const position = (price - bands.middle) / (bands.upper - bands.middle);
  const isLively = atrRatio !== null && atrRatio >= LIVELY_ATR_RATIO;
  const isStretched = Math.abs(position) > STRETCHED;
  const value = isStretched && !isLively ? -0.5 * Math.sign(position) : clampVote(position);
  const regime =
    atrRatio === null ? "" : ` while ATR(14) is ${formatNumber(atrRatio, 2)} times its usual size`;
  return {
    topic: "volatility",
    value,
    weight: 0.75,
    evidence:
      `Price is ${formatNumber(Math.abs(position) * 100, 0)}% of the way from the middle band ${formatAtTick(bands.middle, scale)} ` +
      `to the ${position < 0 ? "lower" : "upper"} one${regime}.`,
  };
};

/** Volume of the last candle: more than usual speaks for the way that candle went. */
export const voteOnVolume: Voter = ({ candles, indicators }) => {
  const { volume } = indicators;
  const last = candles.at(-1);
  if (volume === null || !last) return null;
  const direction = Math.sign(last.close - last.open);
  return {
    topic: "volume",
    value: direction * clampVote(Math.max(volume.ratio - 1, 0)),
    weight: 0.75,
    evidence: `The last candle ${describeWay(direction)} on ${formatNumber(volume.ratio, 2)} times the usual volume.`,
  };
};

function describeWay(direction: number): string {
  if (direction > 0) return "rose";
  return direction < 0 ? "fell" : "went nowhere";
}
