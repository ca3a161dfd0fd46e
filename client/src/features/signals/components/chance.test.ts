import { noRates } from "@shared/testing/performance-record.ts";
import { expect, test } from "vitest";
import type { MeasuredRecord } from "./analyst-record.tsx";
import { chanceOf } from "./chance.tsx";

const recordOf = (decided: number, wins: number): Pick<MeasuredRecord, "confidence"> => {
  const bucket = { from: 60, to: 70, decided, wins, stated: 0.62, won: wins / decided, ...noRates };
  return { confidence: { decided, buckets: [bucket] } };
};

const UNCHECKED = "The analyst states this. Too few such trades have ended to check it.";
const measured = (percent: number) => ({
  percent,
  sentence: `About ${percent} in 100 such trades reached the target first.`,
});

test("the chance of a trade is what such trades did, in one number and one sentence", () => {
  expect(chanceOf({ confidence: 62 }, recordOf(214, 62))).toEqual(measured(29));
});

test("a calibrated confidence is that number", () => {
  const calibrated = { confidence: 62, calibrated_confidence: 31.5 };
  expect(chanceOf(calibrated, recordOf(214, 62))).toEqual(measured(32));
});

test.each([recordOf(29, 9), undefined])("what is unchecked is called stated", (record) => {
  expect(chanceOf({ confidence: 62 }, record)).toEqual({ percent: 62, sentence: UNCHECKED });
});

const levels = { entry: 100, stop_loss: 98, take_profit: 104 };
const byRules = { confidence: 62, ...levels, isByRules: true };

test("of unchecked rules, the chance is that of the levels, as their score is none", () => {
  const sentence =
    "By the distances of stop and target alone. Too few such trades have ended to check the rules.";
  expect(chanceOf(byRules, undefined)).toEqual({ percent: 33, sentence });
  expect(chanceOf(byRules, recordOf(214, 62))).toEqual(measured(29));
});
