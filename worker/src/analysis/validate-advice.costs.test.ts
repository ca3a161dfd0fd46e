import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { describe, expect, it } from "vitest";
import { costShare, costWarnings, isTooCostly, minStopDistance } from "./validate-advice.ts";

/** 0.15 % for a round trip. */
const costs = { spread_percent: 0.05, commission_percent: 0.05 };

describe("the share of a trade's risk that its costs take", () => {
  it.each([
    { entry: 100, stopLoss: 99, share: 0.15 },
    { entry: 100, stopLoss: 101, share: 0.15 },
    { entry: 0.3, stopLoss: 0.297, share: 0.15 },
    { entry: 100, stopLoss: 98, share: 0.075 },
  ])("is $share from $entry to $stopLoss, which is allowed", ({ share, ...risk }) => {
    expect(costShare(risk, costs)).toBeCloseTo(share, 12);
    expect(isTooCostly(risk, costs)).toBe(false);
  });

  it("is too large as soon as the stop is nearer than the nearest one allowed", () => {
    expect(minStopDistance(100, costs)).toBeCloseTo(1, 12);
    expect(isTooCostly({ entry: 100, stopLoss: 99.001 }, costs)).toBe(true);
    expect(isTooCostly({ entry: 100, stopLoss: 100.999 }, costs)).toBe(true);
  });

  it("is no obstacle where trading is free", () => {
    const free = { spread_percent: 0, commission_percent: 0 };
    expect(isTooCostly({ entry: 100, stopLoss: 99.999 }, free)).toBe(false);
  });
});

describe("the reason not to propose a trade", () => {
  it("is one sentence with the numbers", () => {
    const levels = { entry: 100_000, stop_loss: 100_500 };
    expect(costWarnings(levels, DEFAULT_TRADING_COSTS.crypto)).toEqual([
      "No trade is proposed: its trading costs of 0.11% of the price are 22% of its risk, with the stop 0.5% from " +
        "the entry; the limit is 15%.",
    ]);
  });

  it("does not exist for a trade that is worth its costs, nor for a WAIT", () => {
    expect(costWarnings({ entry: 100, stop_loss: 99 }, costs)).toEqual([]);
    expect(costWarnings({ entry: null, stop_loss: null }, costs)).toEqual([]);
  });
});
