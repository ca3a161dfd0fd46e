import { isConclusive, pairLevel } from "@shared/stats/analyst-bench.ts";
import { confidenceSequence, type SequenceLevel } from "@shared/stats/confidence-sequence.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { expect, it } from "vitest";

const WORLDS = 1_000;
const SEED = 20_261_128;
const CANDLES_A_DAY = 8;
/** 800 trades. */
const HORIZON_DAYS = 100;
/** Looked at daily for far longer than that. */
const NULL_DAYS = 250;
const ADVANTAGE_R = 0.15;
/** Of the difference of two arms. */
const SD_R = 1.3;
/** A target of 2 R that is met in one of three trades. */
const REWARD = 2;

interface World {
  arms: number;
  days: number;
  /** Of the first arm over all others, in R. */
  advantage: number;
  seed: number;
}

/** The sum of each arm on each day. The market's part of a result, which all arms share, is not in their differences. */
function simulate({ arms, days, advantage, seed }: World): number[][] {
  const random = xoroshiro128plus(seed);
  const scale = SD_R / Math.SQRT2 / Math.sqrt(REWARD);
  return Array.from({ length: days }, () =>
    Array.from({ length: arms }, (_, arm) => {
      let sum = arm === 0 ? advantage * CANDLES_A_DAY : 0;
      for (let candle = 0; candle < CANDLES_A_DAY; candle += 1) {
        sum += scale * (uniformFloat64(random) < 1 / (1 + REWARD) ? REWARD : -1);
      }
      return sum;
    }),
  );
}

/** Whether the difference of two arms is ever called known by someone who looks each day, and for which of them. */
function claimOf(
  days: readonly (readonly number[])[],
  pair: readonly [number, number],
  level: SequenceLevel,
): "first" | "second" | null {
  const [a, b] = pair;
  const clusters: { count: number; sum: number }[] = [];
  for (const day of days) {
    clusters.push({ count: CANDLES_A_DAY, sum: (day[a] ?? 0) - (day[b] ?? 0) });
    const interval = confidenceSequence(clusters, level);
    if (interval && isConclusive(interval)) return interval.low > 0 ? "first" : "second";
  }
  return null;
}

const pairsOf = (arms: number): [number, number][] =>
  Array.from({ length: arms }, (_, a) =>
    Array.from({ length: arms - a - 1 }, (_, b): [number, number] => [a, a + b + 1]),
  ).flat();

const worlds = (world: Omit<World, "seed">) =>
  Array.from({ length: WORLDS }, (_, index) => simulate({ ...world, seed: SEED + index }));

const shareOf = (values: readonly boolean[]): number =>
  values.filter(Boolean).length / values.length;

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

it("claims a difference between 8 equal arms in at most 5% of worlds that are looked at daily", () => {
  const arms = 8;
  const level = pairLevel(arms);
  const isFalse = worlds({ arms, days: NULL_DAYS, advantage: 0 }).map((days) =>
    pairsOf(arms).some((pair) => claimOf(days, pair, level) !== null),
  );
  process.stdout.write(`8 arms, no difference: a false claim in ${percent(shareOf(isFalse))}\n`);
  expect(shareOf(isFalse)).toBeLessThanOrEqual(0.05);
}, 600_000);

it.each([2, 8])(
  "finds that one of %i arms is 0.15 R better within 800 trades in four of five worlds",
  (arms) => {
    const level = pairLevel(arms);
    const found = worlds({ arms, days: HORIZON_DAYS, advantage: ADVANTAGE_R }).map((days) => {
      const claims = pairsOf(arms).map((pair) => ({ pair, claim: claimOf(days, pair, level) }));
      const isFound = claims.some(({ pair: [a], claim }) => a === 0 && claim === "first");
      const ofOnePair = claims.some(
        ({ pair: [a, b], claim }) => a === 0 && b === 1 && claim === "first",
      );
      return { isFound, ofOnePair };
    });
    const power = shareOf(found.map(({ isFound }) => isFound));
    const ofPair = shareOf(found.map(({ ofOnePair }) => ofOnePair));
    process.stdout.write(
      `${arms} arms, one 0.15 R better: found in ${percent(power)}, against one given arm in ${percent(ofPair)}\n`,
    );
    expect(power).toBeGreaterThanOrEqual(0.8);
  },
  600_000,
);
