import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adviceOf } from "../testing/fakes.ts";
import type { Advice } from "./analyst.ts";
import { type AdviceBounds, validateAdvice } from "./validate-advice.ts";

/** Sound at a price of 100 with an ATR of 2. */
const buy = adviceOf({ final_signal: "BUY", entry: 100, stop_loss: 98, take_profit: 104 });
const sell = adviceOf({ final_signal: "SELL", entry: 100, stop_loss: 102, take_profit: 96 });

const cents = { tick: 0.01, decimals: 2 };
const check = (advice: Advice, market = { price: 100, atr: 2 }) =>
  validateAdvice(advice, { scale: cents, ...market });
const reasonsFor = (advice: Advice, market = { price: 100, atr: 2 }) => {
  const checked = check(advice, market);
  return checked.accepted ? [] : checked.reasons;
};

describe("advice within bounds", () => {
  it.each([buy, sell])("is accepted as given: $final_signal", (advice) => {
    expect(check(advice)).toEqual({ accepted: true, advice });
  });

  it("loses the levels of a WAIT, which mean nothing", () => {
    const advice = adviceOf({ final_signal: "WAIT", entry: 100, stop_loss: -5, take_profit: 104 });
    expect(check(advice)).toEqual({
      accepted: true,
      advice: { ...advice, entry: null, stop_loss: null, take_profit: null },
    });
  });

  it("keeps a confidence of 0.8 as 0.8 of 100", () => {
    expect(check({ ...buy, confidence: 0.8 })).toMatchObject({ advice: { confidence: 0.8 } });
  });

  it.each([
    { bound: "reward equal to risk", advice: { ...buy, take_profit: 102 } },
    { bound: "stop 0.25 ATR away", advice: { ...buy, stop_loss: 99.5 } },
    { bound: "stop 10 ATR away", advice: { ...buy, stop_loss: 80, take_profit: 120 } },
    { bound: "entry 1 ATR above the close", advice: { ...buy, entry: 102, take_profit: 106 } },
    { bound: "entry 1 ATR below the close", advice: { ...sell, entry: 98, take_profit: 90 } },
    { bound: "no confidence", advice: { ...buy, confidence: 0 } },
    { bound: "full confidence", advice: { ...buy, confidence: 100 } },
  ])("may touch its bound: $bound", ({ advice }) => {
    expect(reasonsFor(advice)).toEqual([]);
  });

  it("may touch a bound that has no exact binary form", () => {
    const advice = adviceOf({ final_signal: "SELL", entry: 0.3, stop_loss: 0.4, take_profit: 0.2 });
    expect(0.3 - 0.2).toBeLessThan(0.4 - 0.3);
    expect(reasonsFor(advice, { price: 0.3, atr: 0.1 })).toEqual([]);
    expect(reasonsFor({ ...advice, entry: 0.1 + 0.2 }, { price: 0.3, atr: 0.1 })).toEqual([]);
  });
});

describe("advice out of bounds", () => {
  it.each([
    {
      fault: "no levels",
      advice: adviceOf({ final_signal: "BUY", entry: 100 }),
      reasons: [
        "A BUY needs a stop_loss above 0, not null.",
        "A BUY needs a take_profit above 0, not null.",
      ],
    },
    {
      fault: "a negative target",
      advice: { ...sell, take_profit: -4 },
      reasons: ["A SELL needs a take_profit above 0, not -4."],
    },
    {
      fault: "an infinite level",
      advice: { ...buy, take_profit: Number.POSITIVE_INFINITY },
      reasons: ["A BUY needs a take_profit above 0, not Infinity."],
    },
    {
      fault: "BUY levels in a SELL",
      advice: { ...buy, final_signal: "SELL" as const },
      reasons: [
        "The stop_loss 98 of a SELL must be above its entry 100.",
        "The take_profit 104 of a SELL must be below its entry 100.",
      ],
    },
    {
      fault: "reward below risk",
      advice: { ...buy, take_profit: 101.5 },
      reasons: ["Reward to risk is 0.75 (reward 1.5, risk 2); it must be at least 1."],
    },
    {
      fault: "a stop within the noise",
      advice: { ...buy, stop_loss: 99.9 },
      reasons: [
        "The stop_loss is 0.1 from the entry; it must be between 0.5 and 20 (0.25 to 10 times ATR(14), which is 2).",
      ],
    },
    {
      fault: "an entry far from the market",
      advice: { ...buy, entry: 103, take_profit: 120 },
      reasons: ["The entry 103 is 3 from the last close 100; it must be within 2 (1 ATR(14))."],
    },
    {
      fault: "confidence above 100",
      advice: { ...buy, confidence: 120 },
      reasons: ["confidence must be a number from 0 to 100, not 120."],
    },
    {
      fault: "no confidence at all in a WAIT",
      advice: adviceOf({ confidence: Number.NaN }),
      reasons: ["confidence must be a number from 0 to 100, not NaN."],
    },
  ])("is sent back with the reason: $fault", ({ advice, reasons }) => {
    expect(reasonsFor(advice)).toEqual(reasons);
  });

  it("lists every fault at once", () => {
    const advice = { ...buy, entry: 110, stop_loss: 111, take_profit: 110.5, confidence: -1 };
    expect(reasonsFor(advice)).toHaveLength(4);
  });

  it("is any trade in a market that stands still", () => {
    expect(reasonsFor(buy, { price: 100, atr: 0 })).toHaveLength(1);
    expect(reasonsFor({ ...buy, stop_loss: 100 }, { price: 100, atr: 0 })).toEqual([
      "The stop_loss 100 of a BUY must be below its entry 100.",
    ]);
    expect(reasonsFor({ ...sell, stop_loss: 100 }, { price: 100, atr: 0 })).toEqual([
      "The stop_loss 100 of a SELL must be above its entry 100.",
    ]);
  });
});

/** Levels as whole ticks, so that the bounds can be recomputed without any rounding. */
const ticks = fc.record({
  final_signal: fc.constantFrom("BUY", "SELL"),
  price: fc.integer({ min: 2_000, max: 3_000_000 }),
  atr: fc.integer({ min: 1, max: 200 }),
  entryOff: fc.integer({ min: -250, max: 250 }),
  stopOff: fc.integer({ min: -2_100, max: 2_100 }),
  targetOff: fc.integer({ min: -4_000, max: 4_000 }),
  confidence: fc.integer({ min: -5, max: 105 }),
  decimals: fc.integer({ min: 0, max: 8 }),
});
type Ticks = typeof ticks extends fc.Arbitrary<infer Value> ? Value : never;

/** Contract §4 in whole numbers. */
function keepsEveryBound({
  final_signal,
  price,
  atr,
  entryOff,
  stopOff,
  targetOff,
  confidence,
}: Ticks) {
  const side = final_signal === "BUY" ? 1 : -1;
  const risk = -stopOff * side;
  const reward = targetOff * side;
  const isAboveZero = Math.min(entryOff, entryOff + stopOff, entryOff + targetOff) + price > 0;
  return (
    isAboveZero &&
    risk > 0 &&
    reward >= risk &&
    4 * risk >= atr &&
    risk <= 10 * atr &&
    Math.abs(entryOff) <= atr &&
    confidence >= 0 &&
    confidence <= 100
  );
}

function toAdvice(drawn: Ticks): { advice: Advice; bounds: AdviceBounds } {
  const { final_signal, price, atr, entryOff, stopOff, targetOff, confidence, decimals } = drawn;
  const decimal = (count: number) => Number(`${count}e-${decimals}`);
  const entry = price + entryOff;
  const levels = {
    entry: decimal(entry),
    stop_loss: decimal(entry + stopOff),
    take_profit: decimal(entry + targetOff),
  };
  return {
    advice: adviceOf({ final_signal, confidence, ...levels }),
    bounds: {
      price: decimal(price),
      atr: decimal(atr),
      scale: { tick: decimal(1), decimals },
    },
  };
}

/** Mostly sound trades, many of them exactly on a bound. */
const nearBounds = ticks.map((drawn) => {
  const side = drawn.final_signal === "BUY" ? 1 : -1;
  const stopOff = -side * Math.abs(drawn.stopOff % (10 * drawn.atr + 2));
  const targetOff = -stopOff + side * (drawn.targetOff % 3);
  return { ...drawn, stopOff, targetOff, entryOff: drawn.entryOff % (drawn.atr + 2) };
});

describe("levels between two ticks", () => {
  const reasons = (advice: Advice) => reasonsFor(advice, { price: 100, atr: 2 });

  it("are rounded to the nearest one before they are checked", () => {
    const advice = { ...buy, entry: 100.004, stop_loss: 97.996, take_profit: 104.0049 };
    expect(check(advice)).toEqual({
      accepted: true,
      advice: { ...buy, entry: 100, stop_loss: 98, take_profit: 104 },
    });
  });

  it("are refused where rounding makes them equal, or nothing", () => {
    const near = { ...buy, entry: 100, stop_loss: 99.996, take_profit: 104 };
    expect(reasons(near)[0]).toBe("The stop_loss 100 of a BUY must be below its entry 100.");
    expect(reasons({ ...buy, stop_loss: 0.004 })).toEqual([
      "A BUY needs a stop_loss above 0, not 0.004.",
    ]);
  });

  it("may reach a bound by rounding, and miss one", () => {
    expect(reasons({ ...buy, stop_loss: 99.504 })).toEqual([]);
    expect(reasons({ ...buy, stop_loss: 99.506 })).toHaveLength(1);
    expect(reasons({ ...buy, entry: 102.004, stop_loss: 100, take_profit: 107 })).toEqual([]);
    expect(reasons({ ...buy, entry: 102.006, stop_loss: 100, take_profit: 107 })).toHaveLength(1);
  });
});

describe("for any decimal levels", () => {
  it.each([
    { name: "at large", drawn: ticks },
    { name: "around the bounds", drawn: nearBounds },
  ])("acceptance is exactly the contract's, $name", ({ drawn }) => {
    fc.assert(
      fc.property(drawn, (value) => {
        const { advice, bounds } = toAdvice(value);
        expect(validateAdvice(advice, bounds).accepted).toBe(keepsEveryBound(value));
      }),
      randomCases(10_000),
    );
  });

  it("draws enough of both kinds to say so", () => {
    const sound = fc.sample(nearBounds, { numRuns: 2_000, seed: 1 }).filter(keepsEveryBound);
    expect(sound.length).toBeGreaterThan(400);
    expect(sound.length).toBeLessThan(1_600);
  });

  it("no input whatever is accepted with levels that are not positive numbers", () => {
    const level = fc.option(fc.double());
    const anything = fc.record({
      final_signal: fc.constantFrom("BUY", "SELL", "WAIT"),
      entry: level,
      stop_loss: level,
      take_profit: level,
      confidence: fc.double(),
    });
    fc.assert(
      fc.property(anything, fc.double(), fc.double({ min: 0 }), (drawn, price, atr) => {
        const checked = validateAdvice(adviceOf(drawn), { price, atr, scale: cents });
        if (!checked.accepted) {
          expect(checked.reasons.length).toBeGreaterThan(0);
          return;
        }
        const { final_signal, entry, stop_loss, take_profit } = checked.advice;
        const levels = [entry, stop_loss, take_profit];
        const isSound = (value: number | null) =>
          value !== null && Number.isFinite(value) && value > 0;
        expect(levels.every(final_signal === "WAIT" ? (value) => value === null : isSound)).toBe(
          true,
        );
      }),
      randomCases(5_000),
    );
  });
});
