import { formatDistance, formatNumber } from "@shared/node/signals/round-price.ts";
import { structureAround } from "../indicators/structure.ts";
import { volatilityRegime } from "../indicators/volatility.ts";
import type { MarketBrief } from "../market-brief.ts";
import { formatAtTick, type PriceScale } from "../price-scale.ts";
import type { TradeLevels } from "./trade-levels.ts";
import type { Vote } from "./vote.ts";

/** The averages' vote from which on a market is said to trend. */
const TRENDING = 0.5;

/** `Uptrend with lively volatility (ATR(14) 512.3, 1.31 times its usual size)`. */
export function describeMarket(brief: MarketBrief, votes: readonly Vote[]): string {
  const { atr14, atrRatio, atrPercentile } = brief.indicators;
  const trend = trendWord(votes.find((vote) => vote.topic === "averages")?.value ?? 0);
  if (atr14 === null || atrRatio === null || atrPercentile === null) return trend;
  const size = `ATR(14) ${formatDistance(atr14)}, ${formatNumber(atrRatio, 2)} times its usual size`;
  return `${trend} with ${volatilityRegime(atrPercentile)} volatility (${size})`;
}

/** What would end, or call for, a trade: the levels and readings that matter next. */
export function whatToWatch(brief: MarketBrief, levels: TradeLevels | null): string[] {
  const { price, scale, indicators } = brief;
  const { resistances, supports } = structureAround({ price, swings: indicators.swings });
  return [
    ...(levels ? watchTrade(levels, scale) : []),
    ...watchLevel({ side: "above", level: resistances[0], scale }),
    ...watchLevel({ side: "below", level: supports[0], scale }),
    ...watchHigherTimeframe(brief),
  ];
}

function watchTrade({ entry, stopLoss }: TradeLevels, scale: PriceScale): string[] {
  const side = stopLoss < entry ? "below" : "above";
  return [
    `A close ${side} the stop at ${formatAtTick(stopLoss, scale)} would prove the idea wrong.`,
  ];
}

function watchLevel(options: {
  side: "above" | "below";
  level: number | undefined;
  scale: PriceScale;
}): string[] {
  const { side, level, scale } = options;
  if (level === undefined) return [];
  const [name, favoured] = side === "above" ? ["resistance", "buyers"] : ["support", "sellers"];
  return [`A close ${side} the ${name} at ${formatAtTick(level, scale)} would favour ${favoured}.`];
}

function watchHigherTimeframe({ indicators }: MarketBrief): string[] {
  if (!indicators.higherTimeframe) return [];
  const { timeframe, trend } = indicators.higherTimeframe;
  return [`A turn of the ${timeframe} trend, which is ${trend} now.`];
}

function trendWord(value: number): string {
  if (value >= TRENDING) return "Uptrend";
  return value <= -TRENDING ? "Downtrend" : "Sideways market";
}
