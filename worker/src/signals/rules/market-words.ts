import type { MarketBrief } from "../market-brief.ts";
import { formatDistance, formatNumber, formatPrice } from "../round-price.ts";
import { structureAround } from "./structure-votes.ts";
import type { TradeLevels } from "./trade-levels.ts";
import type { Vote } from "./vote.ts";

/** The averages' vote from which on a market is said to trend. */
const TRENDING = 0.5;

/** ATR against its usual size that counts as lively, and as quiet. */
const LIVELY = 1.2;
const QUIET = 0.8;

/** `Uptrend with lively volatility (ATR(14) 512.3, 1.31 times its usual size)`. */
export function describeMarket(brief: MarketBrief, votes: readonly Vote[]): string {
  const { atr14, atrRatio } = brief.indicators;
  const trend = trendWord(votes.find((vote) => vote.topic === "averages")?.value ?? 0);
  if (atr14 === null || atrRatio === null) return trend;
  const size = `ATR(14) ${formatDistance(atr14)}, ${formatNumber(atrRatio, 2)} times its usual size`;
  return `${trend} with ${volatilityWord(atrRatio)} volatility (${size})`;
}

/** What would end, or call for, a trade: the levels and readings that matter next. */
export function whatToWatch(brief: MarketBrief, levels: TradeLevels | null): string[] {
  const { price, indicators } = brief;
  const { resistances, supports } = structureAround({ price, indicators });
  return [
    ...(levels ? watchTrade(levels) : []),
    ...watchLevel("above", resistances[0]),
    ...watchLevel("below", supports[0]),
    ...watchHigherTimeframe(brief),
  ];
}

function watchTrade({ entry, stopLoss }: TradeLevels): string[] {
  const side = stopLoss < entry ? "below" : "above";
  return [`A close ${side} the stop at ${formatPrice(stopLoss)} would prove the idea wrong.`];
}

function watchLevel(side: "above" | "below", level: number | undefined): string[] {
  if (level === undefined) return [];
  const [name, favoured] = side === "above" ? ["resistance", "buyers"] : ["support", "sellers"];
  return [`A close ${side} the ${name} at ${formatPrice(level)} would favour ${favoured}.`];
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

function volatilityWord(atrRatio: number): string {
  if (atrRatio >= LIVELY) return "lively";
  return atrRatio <= QUIET ? "quiet" : "normal";
}
