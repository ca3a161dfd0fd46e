import { addBuckets, bucketOf, expectedCalibrationError } from "@shared/stats/tally.ts";
import { describe, expect, it } from "vitest";
import { stateSignals } from "../testing/fakes.ts";
import {
  calibrate,
  fitCalibration,
  fitIsotonic,
  fitPlatt,
  type StatedOutcome,
} from "./calibration.ts";

const errorOf = (outcomes: readonly StatedOutcome[]) =>
  expectedCalibrationError(
    addBuckets(outcomes.map((one) => bucketOf({ ...one, baseline: 0.5, score: Number(one.won) }))),
  );

/** An analyst who is sure of himself: 90 % come true in 60 %, 50 % in 40 %. */
const overconfident = (stated: number) => 0.4 + (stated - 0.5) * 0.5;
/** One whose confidence steps up all at once. */
const stepped = (stated: number) => (stated < 0.8 ? 0.35 : 0.75);
/** One who overstates by a factor of two in log odds, so that a logistic curve fits. */
const modest = (stated: number) => 1 / (1 + Math.sqrt(1 / Math.min(stated, 0.99) - 1));
/** One whose confidence means the reverse. */
const inverted = (stated: number) => 1.1 - stated;

const seeds = [1, 2, 3, 4, 5];

describe("calibrated confidence", () => {
  it.each([
    { name: "an overconfident analyst", trueChance: overconfident, count: 300 },
    {
      name: "an overconfident analyst with a long record",
      trueChance: overconfident,
      count: 2_000,
    },
    { name: "an analyst of two minds", trueChance: stepped, count: 2_000 },
    { name: "an analyst who means the reverse", trueChance: inverted, count: 600 },
  ])("of $name is right out of sample", ({ trueChance, count }) => {
    for (const seed of seeds) {
      const signals = stateSignals({ seed, count: count + 4_000, trueChance });
      const cutoff = signals[count]?.resolvedAt ?? 0;
      const fit = fitCalibration({ outcomes: signals, cutoff });
      const later = signals.slice(count);
      const corrected = later.map(({ stated, won }) => ({
        stated: calibrate(fit?.curve ?? [], stated),
        won,
      }));
      expect(fit?.count).toBe(count);
      expect(errorOf(corrected)).toBeLessThanOrEqual(0.08);
      expect(errorOf(later)).toBeGreaterThan(errorOf(corrected));
      expect(errorOf(later)).toBeGreaterThan(0.15);
    }
  });

  it("does not change with anything that happened at the cut-off or later", () => {
    const signals = stateSignals({ seed: 7, count: 1_000, trueChance: overconfident });
    const cutoff = signals[500]?.resolvedAt ?? 0;
    const otherFuture = signals.map((signal) =>
      signal.resolvedAt < cutoff ? signal : { ...signal, stated: 0.99, won: !signal.won },
    );
    const fit = fitCalibration({ outcomes: signals, cutoff });
    expect(fit).not.toBeNull();
    expect(fit).toEqual(fitCalibration({ outcomes: otherFuture.toReversed(), cutoff }));
    expect(fit).toEqual(fitCalibration({ outcomes: signals.slice(0, 500), cutoff }));
    expect(fit?.fittedUntil).toBe(signals[499]?.resolvedAt);
  });

  it("does change with what happened before", () => {
    const signals = stateSignals({ seed: 7, count: 400, trueChance: overconfident });
    const otherPast = signals.map((signal) => ({ ...signal, won: !signal.won }));
    const cutoff = Number.POSITIVE_INFINITY;
    expect(fitCalibration({ outcomes: otherPast, cutoff })?.curve).not.toEqual(
      fitCalibration({ outcomes: signals, cutoff })?.curve,
    );
  });

  it("needs 300 resolved signals", () => {
    const signals = stateSignals({ seed: 7, count: 300, trueChance: overconfident });
    const cutoff = Number.POSITIVE_INFINITY;
    expect(fitCalibration({ outcomes: signals.slice(1), cutoff })).toBeNull();
    expect(fitCalibration({ outcomes: signals, cutoff })?.count).toBe(300);
  });

  it("needs the worth of 100 independent signals, however many overlap", () => {
    const alone = stateSignals({ seed: 7, count: 80, trueChance: overconfident });
    // Each signal ten times over, as if ten markets that move as one had been judged.
    const copies = alone.flatMap((signal) => Array.from({ length: 10 }, () => signal));
    const cutoff = Number.POSITIVE_INFINITY;
    expect(copies.length).toBeGreaterThan(300);
    expect(fitCalibration({ outcomes: copies, cutoff })).toBeNull();
    const many = stateSignals({ seed: 7, count: 1_000, trueChance: overconfident });
    const manyCopies = many.flatMap((signal) => [signal, signal]);
    expect(fitCalibration({ outcomes: manyCopies, cutoff })?.count).toBe(2_000);
  });

  it("bends with a record that no logistic curve fits, and mostly stays smooth where one does", () => {
    const bentFits = (trueChance: (stated: number) => number) =>
      Array.from({ length: 20 }, (_, index) =>
        fitCalibration({
          outcomes: stateSignals({ seed: index + 1, count: 5_000, trueChance }),
          cutoff: Number.POSITIVE_INFINITY,
        }),
      ).filter((fit) => fit?.method === "isotonic").length;
    expect(bentFits(stepped)).toBeGreaterThanOrEqual(19);
    expect(bentFits(modest)).toBeLessThanOrEqual(7);
  });
});

describe("isotonic regression", () => {
  it("pools neighbours until no win rate falls", () => {
    const outcomes = [
      { stated: 0.5, won: false },
      { stated: 0.6, won: true },
      { stated: 0.7, won: false },
      { stated: 0.8, won: true },
      { stated: 0.8, won: true },
      { stated: 0.9, won: false },
    ];
    // 0.6 and 0.7 pool to 1/2; 0.8 (2 of 2) and 0.9 (0 of 1) to 2/3. Both ends get 25 trades of the base rate, 1/2.
    const points = fitIsotonic(outcomes);
    expect(points.map(({ stated }) => Number(stated.toFixed(6)))).toEqual([0.5, 0.65, 0.833333]);
    expect(points.map(({ calibrated }) => calibrated)).toEqual([12.5 / 26, 1 / 2, 14.5 / 28]);
  });

  const levels = (counts: readonly (readonly [stated: number, won: number, lost: number])[]) =>
    counts.flatMap(([stated, won, lost]) => [
      ...Array.from({ length: won }, () => ({ stated, won: true })),
      ...Array.from({ length: lost }, () => ({ stated, won: false })),
    ]);

  it("moves a few lucky trades at the end towards the base rate, and a long record hardly", () => {
    const curve = fitIsotonic(
      levels([
        [0.5, 400, 600],
        [0.95, 5, 0],
      ]),
    );
    const baseRate = 405 / 1_005;
    expect(calibrate(curve, 0.95)).toBeCloseTo((5 + 25 * baseRate) / 30, 12);
    expect(calibrate(curve, 0.95)).toBeLessThan(0.51);
    expect(Math.abs(calibrate(curve, 0.5) - 0.4)).toBeLessThan(0.001);
    const long = fitIsotonic(
      levels([
        [0.5, 400, 600],
        [0.95, 500, 0],
      ]),
    );
    expect(calibrate(long, 0.95)).toBeGreaterThan(0.97);
  });

  it("never falls: an end that moves past its neighbour is pooled with it", () => {
    const curve = fitIsotonic(
      levels([
        [0.5, 0, 900],
        [0.7, 300, 100],
        [0.9, 5, 0],
      ]),
    );
    const baseRate = 305 / 1_305;
    expect(curve).toHaveLength(2);
    expect(curve.at(1)?.stated).toBeCloseTo((400 * 0.7 + 5 * 0.9) / 405, 12);
    expect(calibrate(curve, 0.9)).toBeCloseTo((305 + 25 * baseRate) / 430, 12);
  });
});

describe("Platt scaling", () => {
  it("leaves confidences that are right as they are", () => {
    const outcomes = stateSignals({ seed: 11, count: 20_000, trueChance: (stated) => stated });
    const curve = fitPlatt(outcomes);
    for (const stated of [0.55, 0.7, 0.85, 0.95]) {
      expect(Math.abs(calibrate(curve, stated) - stated)).toBeLessThan(0.02);
    }
  });

  it("gives the win rate where only one confidence was ever stated", () => {
    const outcomes = Array.from({ length: 400 }, (_, index) => ({
      stated: 0.9,
      won: index % 4 === 0,
    }));
    expect(calibrate(fitPlatt(outcomes), 0.9)).toBeCloseTo(0.25, 2);
  });

  it.each([true, false])("stays finite where every signal ended alike (%s)", (won) => {
    const outcomes = Array.from({ length: 300 }, (_, index) => ({
      stated: (50 + (index % 50)) / 100,
      won,
    }));
    const curve = fitPlatt(outcomes);
    expect(curve.every(({ calibrated }) => calibrated > 0 && calibrated < 1)).toBe(true);
    expect(Math.abs(calibrate(curve, 0.75) - Number(won))).toBeLessThan(0.05);
  });
});

describe("a calibration curve", () => {
  const curve = [
    { stated: 0.5, calibrated: 0.3 },
    { stated: 0.7, calibrated: 0.5 },
  ];
  it.each([
    [0.2, 0.3],
    [0.5, 0.3],
    [0.6, 0.4],
    [0.7, 0.5],
    [0.9, 0.5],
  ])("takes %d to %d", (stated, calibrated) => {
    expect(calibrate(curve, stated)).toBeCloseTo(calibrated, 12);
  });
});
