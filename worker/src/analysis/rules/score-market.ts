import { formatDistance, formatNumber } from "@shared/domain/format-price.ts";
import { structureAround } from "../indicators.ts";
import { formatAtTick, type MarketBrief, roundToTick } from "../market-brief.ts";

export interface Vote {
  topic: string;
  /** From −1 (sell) to +1 (buy). */
  value: number;
  weight: number;
  /** One sentence with the numbers of the vote. */
  evidence: string;
}

/** Null where the brief lacks the data. */
type Voter = (brief: MarketBrief) => Vote | null;

function clampVote(value: number): number {
  return Math.min(Math.max(value, -1), 1);
}

export function scoreOf(votes: readonly Pick<Vote, "value" | "weight">[]): number {
  const weight = sum(votes.map((vote) => vote.weight));
  return weight === 0 ? 0 : sum(votes.map((vote) => vote.value * vote.weight)) / weight;
}

/** Share of the weight, 0 to 1, with the sign of `direction`. */
export function agreementWith(votes: readonly Vote[], direction: number): number {
  const weight = sum(votes.map((vote) => vote.weight));
  const agreeing = votes.filter((vote) => vote.value * direction > 0);
  return weight === 0 ? 0 : sum(agreeing.map((vote) => vote.weight)) / weight;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The word for a negative value, 0, or a positive one. */
function bySign(value: number, [negative, zero, positive]: [string, string, string]): string {
  if (value > 0) return positive;
  return value < 0 ? negative : zero;
}

const TREND_VALUE = { up: 1, down: -1, flat: 0 } as const;

export const voteOnAverages: Voter = ({ price, scale, indicators }) => {
  const { ema20, ema50, ema200 } = indicators;
  if (ema20 === null) return null;
  const rungs = [
    { name: "Price", value: price },
    { name: "EMA 20", value: ema20 },
    ...(ema50 === null ? [] : [{ name: "EMA 50", value: ema50 }]),
    ...(ema200 === null ? [] : [{ name: "EMA 200", value: ema200 }]),
  ];
  const show = (value: number) => formatAtTick(value, scale);
  const steps = rungs.slice(1).map(({ name, value }, index) => {
    const side = Math.sign((rungs[index]?.value ?? value) - value);
    return {
      value: side,
      weight: 1,
      text: `${bySign(side, ["<", "=", ">"])} ${name} ${show(value)}`,
    };
  });
  return {
    topic: "averages",
    value: scoreOf(steps),
    weight: 2,
    evidence: `Price ${show(price)} ${steps.map(({ text }) => text).join(" ")}.`,
  };
};

export const voteOnHigherTimeframe: Voter = ({ indicators }) => {
  if (!indicators.higherTimeframe) return null;
  const { timeframe, trend } = indicators.higherTimeframe;
  return {
    topic: "higher timeframe",
    value: TREND_VALUE[trend],
    weight: 1.5,
    evidence: `The ${timeframe} trend is ${trend}.`,
  };
};

const OVERBOUGHT = 70;
const OVERSOLD = 30;

const FULL_HISTOGRAM_ATR = 0.1;
const FULL_SLOPE_ATR = 0.03;

/** Follows the move up to 70 (down to 30); beyond, the vote declines to 0 at 90 (10). */
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

export const voteOnMacd: Voter = ({ indicators }) => {
  const { macd, atr14 } = indicators;
  if (macd === null || atr14 === null || atr14 === 0) return null;
  const { histogram, previousHistogram } = macd;
  const slope = previousHistogram === null ? 0 : histogram - previousHistogram;
  const side = clampVote(histogram / (FULL_HISTOGRAM_ATR * atr14));
  const growth = clampVote(slope / (FULL_SLOPE_ATR * atr14));
  const way = bySign(slope, ["falling", "level", "rising"]);
  return {
    topic: "MACD",
    value: 0.6 * side + 0.4 * growth,
    weight: 1.5,
    evidence: `The MACD histogram is ${formatDistance(histogram)} and ${way}.`,
  };
};

function describeStretch(rsi: number): string {
  if (rsi > OVERBOUGHT) return ", overbought";
  return rsi < OVERSOLD ? ", oversold" : "";
}

const LIVELY_ATR_RATIO = 1.1;

const STRETCHED = 0.8;

/** Follows the price inside the bands; at the edge a breakout in a lively market, else a return. */
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

export const voteOnVolume: Voter = ({ candles, indicators }) => {
  const { volume } = indicators;
  const last = candles.at(-1);
  if (volume === null || !last) return null;
  const direction = Math.sign(last.close - last.open);
  const way = bySign(direction, ["fell", "went nowhere", "rose"]);
  return {
    topic: "volume",
    value: direction * clampVote(Math.max(volume.ratio - 1, 0)),
    weight: 0.75,
    evidence: `The last candle ${way} on ${formatNumber(volume.ratio, 2)} times the usual volume.`,
  };
};

const FAR_ATR = 3;

export const voteOnSwings: Voter = ({ price, scale, indicators }) => {
  const { highs, lows } = indicators.swings;
  const high = highs.at(-1);
  const low = lows.at(-1);
  const earlierHigh = highs.at(-2);
  const earlierLow = lows.at(-2);
  if (high === undefined || low === undefined) return null;
  if (earlierHigh === undefined || earlierLow === undefined) return null;
  const order = (Math.sign(high - earlierHigh) + Math.sign(low - earlierLow)) / 2;
  const broken = Number(price > high) - Number(price < low);
  const show = (value: number) => formatAtTick(value, scale);
  const breakText = bySign(broken, [
    "; the price broke below the last low",
    "",
    "; the price broke above the last high",
  ]);
  return {
    topic: "structure",
    value: 0.5 * order + 0.5 * broken,
    weight: 1,
    evidence:
      `Swing highs ${show(earlierHigh)} then ${show(high)}, ` +
      `lows ${show(earlierLow)} then ${show(low)}${breakText}.`,
  };
};

export const voteOnRoom: Voter = ({ price, scale, indicators }) => {
  const { atr14 } = indicators;
  if (atr14 === null || atr14 === 0) return null;
  const { resistances, supports } = structureAround(price, indicators.swings);
  const resistance = resistances[0];
  const support = supports[0];
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

const VOTERS: readonly Voter[] = [
  voteOnAverages,
  voteOnHigherTimeframe,
  voteOnMacd,
  voteOnRsi,
  voteOnSwings,
  voteOnVolume,
  voteOnBands,
  voteOnRoom,
];

/** No edge over chance has been shown for these bounds, see README.md, "What has been measured". */
const TRADE_THRESHOLD = { score: 0.35, agreement: 0.6 } as const;

export interface MarketScore {
  votes: Vote[];
  /** −1 (sell) to +1 (buy). */
  score: number;
  agreement: number;
  levels: TradeLevels | null;
}

/** Whether the votes agree enough for a trade. */
export const isClear = ({ score, agreement }: Pick<MarketScore, "score" | "agreement">): boolean =>
  Math.abs(score) >= TRADE_THRESHOLD.score && agreement >= TRADE_THRESHOLD.agreement;

/** `levels` is null if the votes do not agree enough for a trade, or the market hardly moves. */
export function scoreMarket(brief: MarketBrief): MarketScore {
  const votes = VOTERS.flatMap((vote) => vote(brief) ?? []);
  const score = scoreOf(votes);
  const agreement = agreementWith(votes, score);
  const levels = isClear({ score, agreement }) ? tradeLevels(brief, score > 0 ? 1 : -1) : null;
  return { votes, score, agreement, levels };
}

const STOP_ATR = { min: 1, usual: 1.5, max: 3, beyondSwing: 0.25 } as const;

const REWARD = { min: 1.5, usual: 2, max: 3 } as const;

/** With fewer ticks, rounding could turn reward below risk. */
const MIN_ATR_TICKS = 2;

export interface TradeLevels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Stop beyond the nearest swing 1 to 3 ATR away, else 1.5 ATR; target at the nearest swing that pays 1.5 to 3 times the
 * risk, else twice.
 * Null where the market hardly moves.
 */
export function tradeLevels(
  { price, scale, indicators }: MarketBrief,
  direction: 1 | -1,
): TradeLevels | null {
  const entry = roundToTick(price, scale);
  const { atr14 } = indicators;
  if (atr14 === null || atr14 < MIN_ATR_TICKS * scale.tick) return null;
  const { resistances, supports } = structureAround(entry, indicators.swings);
  const [ahead, behind] = direction === 1 ? [resistances, supports] : [supports, resistances];
  const distanceTo = (level: number) => Math.abs(level - entry);
  const risk = stopDistance(behind.map(distanceTo), atr14);
  const reward = targetDistance(ahead.map(distanceTo), risk);
  const levels = {
    entry,
    stopLoss: roundToTick(entry - direction * risk, scale),
    takeProfit: roundToTick(entry + direction * reward, scale),
  };
  return Math.min(levels.stopLoss, levels.takeProfit) > 0 ? levels : null;
}

function stopDistance(distances: readonly number[], atr: number): number {
  const fitting = distances
    .map((distance) => distance + STOP_ATR.beyondSwing * atr)
    .find((distance) => distance >= STOP_ATR.min * atr && distance <= STOP_ATR.max * atr);
  return fitting ?? STOP_ATR.usual * atr;
}

function targetDistance(distances: readonly number[], risk: number): number {
  const { min, max, usual } = REWARD;
  const fitting = distances.find((distance) => distance >= min * risk && distance <= max * risk);
  return fitting ?? usual * risk;
}
