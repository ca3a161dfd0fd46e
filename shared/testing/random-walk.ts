import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Made-up signals whose chances are known. */

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A stated confidence, 0–1, and how it went; one resolved each hour. */
export interface StatedSignal {
  openedAt: number;
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
    const resolvedAt = START + index * HOUR_MS;
    return { openedAt: resolvedAt - HOUR_MS / 2, resolvedAt, stated, won };
  });
}
