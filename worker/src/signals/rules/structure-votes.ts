import { formatNumber } from "@shared/node/signals/round-price.ts";
import { structureAround } from "../indicators/structure.ts";
import { formatAtTick } from "../price-scale.ts";
import { clampVote, type Voter } from "./vote.ts";

/** Room in ATR beyond which support or resistance is out of play. */
const FAR_ATR = 3;

/** Do swings rise or fall, and has the price broken the last one? */
export const voteOnSwings: Voter = ({ price, scale, indicators }) => {
  const { highs, lows } = indicators.swings;
  const [high, low] = [highs.at(-1), lows.at(-1)];
  const [earlierHigh, earlierLow] = [highs.at(-2), lows.at(-2)];
  if (high === undefined || low === undefined) return null;
  if (earlierHigh === undefined || earlierLow === undefined) return null;
  const order = (Math.sign(high - earlierHigh) + Math.sign(low - earlierLow)) / 2;
  const broken = Number(price > high) - Number(price < low);
  const show = (value: number) => formatAtTick(value, scale);
  return {
    topic: "structure",
    value: 0.5 * order + 0.5 * broken,
    weight: 1,
    evidence:
      `Swing highs ${show(earlierHigh)} then ${show(high)}, ` +
      `lows ${show(earlierLow)} then ${show(low)}${describeBreak(broken)}.`,
  };
};

function describeBreak(broken: number): string {
  if (broken > 0) return "; the price broke above the last high";
  return broken < 0 ? "; the price broke below the last low" : "";
}

/** Is there more room to the next resistance than to the next support? */
export const voteOnRoom: Voter = ({ price, scale, indicators }) => {
  const { atr14 } = indicators;
  if (atr14 === null || atr14 === 0) return null;
  const { resistances, supports } = structureAround({ price, swings: indicators.swings });
  const [resistance, support] = [resistances[0], supports[0]];
  if (resistance === undefined && support === undefined) return null;
  const room = (level: number | undefined) =>
    level === undefined ? FAR_ATR : Math.min(Math.abs(level - price) / atr14, FAR_ATR);
  const words = (name: string, level: number | undefined) =>
    level === undefined
      ? `no recent ${name}`
      : `${name} ${formatAtTick(level, scale)} is ${formatNumber(Math.abs(level - price) / atr14, 1)} ATR away`;
  return {
    topic: "room",
    value: clampVote((room(resistance) - room(support)) / FAR_ATR),
    weight: 0.5,
    evidence: `Room to move: ${words("resistance", resistance)}, ${words("support", support)}.`,
  };
};
