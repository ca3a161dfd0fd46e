import { expect, test } from "vitest";
import { distancePercent, rewardToRisk, tradeLevels } from "./levels.ts";

test("levels exist only when all three do", () => {
  expect(tradeLevels({ entry: 100, stop_loss: 98, take_profit: 104 })).toEqual({
    entry: 100,
    stopLoss: 98,
    takeProfit: 104,
  });
  expect(tradeLevels({ entry: 100, stop_loss: null, take_profit: 104 })).toBeNull();
});

test("distances are signed and relative to the entry", () => {
  expect(distancePercent(200, 197)).toBeCloseTo(-1.5);
  expect(distancePercent(200, 204)).toBeCloseTo(2);
});

test("reward to risk is the same for a buy and its mirrored sell", () => {
  expect(rewardToRisk({ entry: 100, stopLoss: 98, takeProfit: 105 })).toBeCloseTo(2.5);
  expect(rewardToRisk({ entry: 100, stopLoss: 102, takeProfit: 95 })).toBeCloseTo(2.5);
});

test("without risk there is no ratio", () => {
  expect(rewardToRisk({ entry: 100, stopLoss: 100, takeProfit: 105 })).toBeNull();
});
