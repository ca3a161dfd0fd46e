import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

const STEP_MS = 3_600_000;
const WALK_START = Date.UTC(2026, 0, 1);

/** A stated confidence, 0–1, and its outcome; one is resolved each hour. */
interface StatedSignal {
  openedAt: number;
  resolvedAt: number;
  stated: number;
  won: boolean;
}

/** Signals with stated confidences from 50 % to 100 %, which win with the chance `trueChance`. */
export function stateSignals(options: {
  seed: number;
  count: number;
  trueChance: (stated: number) => number;
}): StatedSignal[] {
  const random = xoroshiro128plus(options.seed);
  return Array.from({ length: options.count }, (_, index) => {
    const stated = uniformInt(random, 50, 100) / 100;
    const won = uniformFloat64(random) < options.trueChance(stated);
    const resolvedAt = WALK_START + index * STEP_MS;
    return { openedAt: resolvedAt - STEP_MS / 2, resolvedAt, stated, won };
  });
}
