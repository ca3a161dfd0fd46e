import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

/** Made-up signals whose chances are known. */

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A signal judged by first touch on a walk of single ticks. */
export interface WalkedSignal {
  at: number;
  won: boolean;
  entry: number;
  stopLoss: number;
  takeProfit: number;
  /** Result in R. */
  r: number;
}

/**
 * Signals whose stops are 4 to 15 ticks away and whose targets 1 to 3 times as far, both ways, on a price that moves one
 * tick at a time: towards the target with a chance of 0.5 + `drift`.
 */
export function walkSignals(options: {
  seed: number;
  count: number;
  drift: number;
}): WalkedSignal[] {
  const random = xoroshiro128plus(options.seed);
  return Array.from({ length: options.count }, (_, index) => {
    const stopTicks = uniformInt(random, 4, 15);
    const targetTicks = Math.round(stopTicks * (1 + 2 * uniformFloat64(random)));
    const side = uniformInt(random, 0, 1) === 1 ? 1 : -1;
    const won = touchesTarget(random, { stopTicks, targetTicks, drift: options.drift });
    return {
      at: START + index * HOUR_MS,
      won,
      entry: 1_000,
      stopLoss: 1_000 - side * stopTicks,
      takeProfit: 1_000 + side * targetTicks,
      r: won ? targetTicks / stopTicks : -1,
    };
  });
}

function touchesTarget(
  random: RandomGenerator,
  trade: { stopTicks: number; targetTicks: number; drift: number },
): boolean {
  let ticks = 0;
  while (ticks > -trade.stopTicks && ticks < trade.targetTicks) {
    ticks += uniformFloat64(random) < 0.5 + trade.drift ? 1 : -1;
  }
  return ticks > 0;
}

/** A stated confidence, 0–1, and how it went; one resolved each hour. */
export interface StatedSignal {
  resolvedAt: number;
  stated: number;
  won: boolean;
}

/** Signals of an analyst who says 50 % to 100 %, and of whose signals `trueChance` of what he says comes true. */
export function stateSignals(options: {
  seed: number;
  count: number;
  trueChance: (stated: number) => number;
}): StatedSignal[] {
  const random = xoroshiro128plus(options.seed);
  return Array.from({ length: options.count }, (_, index) => {
    const stated = uniformInt(random, 50, 100) / 100;
    const won = uniformFloat64(random) < options.trueChance(stated);
    return { resolvedAt: START + index * HOUR_MS, stated, won };
  });
}
