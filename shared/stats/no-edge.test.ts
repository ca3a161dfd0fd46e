import { walkSignals } from "@shared/testing/random-walk.ts";
import { describe, expect, it } from "vitest";
import { addBuckets, bucketOf, decidedOf } from "./confidence-bucket.ts";
import { liftOf, noEdgeChance } from "./no-edge.ts";

describe("the no-edge chance", () => {
  it.each([
    { name: "a BUY, target as near as the stop", levels: [100, 90, 110], chance: 1 / 2 },
    { name: "a BUY, target twice as far", levels: [100, 90, 120], chance: 1 / 3 },
    { name: "a SELL, target three times as far", levels: [100, 110, 70], chance: 1 / 4 },
    { name: "a fill beyond the stop", levels: [89, 90, 110], chance: 0 },
    { name: "a fill beyond the target", levels: [111, 90, 110], chance: 1 },
  ])("of $name is $chance", ({ levels: [entry = 0, stopLoss = 0, takeProfit = 0], chance }) => {
    expect(noEdgeChance({ entry, stopLoss, takeProfit })).toBeCloseTo(chance, 12);
  });
});

describe("the lift", () => {
  it("is the win rate less the mean chance, with the spread of Σp(1 − p)", () => {
    // 3 of 4 won; Σp = 0.5 + 0.25 + 0.4 + 0.5 = 1.65; Σp(1 − p) = 0.25 + 0.1875 + 0.24 + 0.25 = 0.9275.
    const signals = [
      { noEdge: 0.5, won: true },
      { noEdge: 0.25, won: true },
      { noEdge: 0.4, won: false },
      { noEdge: 0.5, won: true },
    ].map((signal) => bucketOf({ ...signal, stated: 0.7 }));
    const lift = liftOf(decidedOf(addBuckets(signals)));
    expect(lift.value).toBeCloseTo((3 - 1.65) / 4, 12);
    expect(lift.high - lift.value).toBeCloseTo((1.96 * Math.sqrt(0.9275)) / 4, 4);
    expect(lift.value - lift.low).toBeCloseTo(lift.high - lift.value, 12);
  });

  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  const liftOfWalk = (seed: number, drift: number) =>
    liftOf(
      decidedOf(
        addBuckets(
          walkSignals({ seed, count: 5_000, drift }).map((signal) =>
            bucketOf({ stated: 0.5, noEdge: noEdgeChance(signal), won: signal.won }),
          ),
        ),
      ),
    );

  it("of 5,000 signals on a random walk holds 0, save in a record or two of twenty", () => {
    const lifts = seeds.map((seed) => liftOfWalk(seed, 0));
    const missed = lifts.filter(({ low, high }) => low > 0 || high < 0);
    expect(missed.length).toBeLessThanOrEqual(2);
    const mean = lifts.reduce((sum, { value }) => sum + value, 0) / lifts.length;
    expect(Math.abs(mean)).toBeLessThan(0.005);
  });

  it("of 5,000 signals with a drift of one tick in a hundred does not hold 0, in any record", () => {
    const lifts = seeds.map((seed) => liftOfWalk(seed, 0.01));
    expect(lifts.filter(({ low }) => low > 0)).toHaveLength(seeds.length);
  });
});
