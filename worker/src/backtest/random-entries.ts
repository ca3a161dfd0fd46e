import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import type { Stake } from "@shared/node/signals/size-position.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { isTooCostly } from "../signals/cost-limit.ts";
import { type Geometry, geometryOf, placeTrade } from "./advised-trade.ts";
import type { AtrAt } from "./atr-of-bars.ts";
import { sized } from "./atr-rule.ts";
import { type Course, closeOf } from "./course.ts";
import { type Decide, type Judge, type WalkedTrade, walkMarket } from "./walk-market.ts";

export interface RandomOptions {
  course: Course;
  /** The trades whose levels are used again. */
  trades: readonly WalkedTrade[];
  stake: Stake;
  costs: TradingCosts;
  atrAt: AtrAt;
  judge: Judge;
  repetitions: number;
  seed: number;
  onRepetition?: () => void;
}

/**
 * What chance makes of the same levels: in each repetition the trades' distances in ATR are shuffled onto random bars,
 * bought or sold by the toss of a coin, and walked and judged as the trades were. A bar at which another trade is still
 * open, or at which the costs would take too much of the risk, moves on to the next that suits. The same seed gives the same repetitions.
 */
export async function randomEntries(options: RandomOptions): Promise<WalkedTrade[][]> {
  const { course, judge, repetitions, seed, onRepetition } = options;
  const random = xoroshiro128plus(seed);
  const geometries = geometriesOf(options);
  const runs: WalkedTrade[][] = [];
  for (let run = 0; run < repetitions; run += 1) {
    const decide = randomStrategy(options, { random, geometries });
    runs.push((await walkMarket({ course, decide, judge, every: 1 })).trades);
    onRepetition?.();
  }
  return runs;
}

function geometriesOf({ course, trades, atrAt }: RandomOptions): Geometry[] {
  const barAt = new Map<number, number>();
  for (let bar = course.firstBar; bar <= course.lastBar; bar += 1) {
    barAt.set(closeOf(course, bar), bar);
  }
  return trades.flatMap(({ trade }) => {
    const atr = atrAt(barAt.get(trade.createdAt) ?? -1);
    return atr === null ? [] : geometryOf(trade, atr);
  });
}

function randomStrategy(
  { course, stake, costs, atrAt }: RandomOptions,
  { random, geometries }: { random: RandomGenerator; geometries: readonly Geometry[] },
): Decide {
  const { firstBar, lastBar } = course;
  const bars = geometries.map(() => uniformInt(random, firstBar, lastBar)).sort((a, b) => a - b);
  const waiting = shuffled(geometries, random).map((geometry, index) => ({
    geometry,
    from: bars[index] ?? lastBar,
    side: uniformInt(random, 0, 1) === 1 ? ("BUY" as const) : ("SELL" as const),
  }));
  return async (bar) => {
    const atr = atrAt(bar);
    if (atr === null) return null;
    for (const [index, { geometry, from, side }] of waiting.entries()) {
      if (from > bar) break;
      const trade = placeTrade({ course, bar, side, geometry, atr });
      if (!trade || isTooCostly(trade, costs)) continue;
      waiting.splice(index, 1);
      return sized(trade, stake);
    }
    return null;
  };
}

/** Fisher and Yates. */
function shuffled<Item>(items: readonly Item[], random: RandomGenerator): Item[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(uniformInt(random, 0, rest.length - 1), 1));
}
