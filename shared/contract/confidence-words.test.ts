import { expect, test } from "vitest";
import { confidenceWords } from "./confidence-words.ts";

test.each([
  {
    name: "a trade without a calibration",
    given: { signal: "BUY", confidence: 62, calibrated_confidence: null },
    words: "62% stated confidence, not yet calibrated",
  },
  {
    name: "a trade of which nothing is known about a calibration",
    given: { signal: "SELL", confidence: 62.5, calibrated_confidence: undefined },
    words: "62.5% stated confidence, not yet calibrated",
  },
  {
    name: "a calibrated trade",
    given: { signal: "SELL", confidence: 62, calibrated_confidence: 33.4 },
    words: "62% stated confidence, 33.4% calibrated",
  },
  {
    name: "a WAIT, which has no outcome to be calibrated with",
    given: { signal: "WAIT", confidence: 55, calibrated_confidence: null },
    words: "55% stated confidence",
  },
  {
    name: "a WAIT that states none",
    given: { signal: "WAIT", confidence: 0, calibrated_confidence: null },
    words: null,
  },
] as const)("the confidence of $name", ({ given, words }) => {
  expect(confidenceWords(given.signal, given)).toBe(words);
});
