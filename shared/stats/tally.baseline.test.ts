import { describe, expect, it } from "vitest";
import { baselineWinRate, levelScore } from "./tally.ts";

describe("the baseline win rate", () => {
  it.each([
    { name: "a BUY, target as near as the stop", levels: [100, 90, 110], chance: 1 / 2 },
    { name: "a BUY, target twice as far", levels: [100, 90, 120], chance: 1 / 3 },
    { name: "a SELL, target three times as far", levels: [100, 110, 70], chance: 1 / 4 },
    { name: "a fill beyond the stop", levels: [89, 90, 110], chance: 0 },
    { name: "a fill beyond the target", levels: [111, 90, 110], chance: 1 },
  ])("of $name is $chance", ({ levels: [entry = 0, stopLoss = 0, takeProfit = 0], chance }) => {
    expect(baselineWinRate({ entry, stopLoss, takeProfit })).toBeCloseTo(chance, 12);
  });
});

describe("the score of an exit", () => {
  const buy = { stopLoss: 90, takeProfit: 120 };
  const sell = { stopLoss: 110, takeProfit: 80 };
  it.each([
    { name: "a BUY at its stop", exit: 90, levels: buy, score: 0 },
    { name: "a BUY at its target", exit: 120, levels: buy, score: 1 },
    { name: "a BUY a third of the way", exit: 100, levels: buy, score: 1 / 3 },
    { name: "a BUY beyond its target", exit: 125, levels: buy, score: 1 },
    { name: "a SELL a third of the way", exit: 100, levels: sell, score: 1 / 3 },
    { name: "a SELL close to its target", exit: 83, levels: sell, score: 0.9 },
    { name: "a SELL beyond its stop", exit: 112, levels: sell, score: 0 },
  ])("of $name is $score", ({ exit, levels, score }) => {
    expect(levelScore(exit, levels)).toBeCloseTo(score, 12);
  });
});
