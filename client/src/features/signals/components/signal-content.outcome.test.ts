import type { Resolution } from "@shared/contract/resolution.ts";
import { describe, expect, it, test } from "vitest";
import { chartText, describeOutcome } from "./signal-content.tsx";

const LEVELS = { entry: 100, stopLoss: 95, takeProfit: 110 };
const judged = (changes: Partial<Resolution>): Resolution => ({
  outcome: "WIN",
  reason: "target",
  resolved_at: "2026-01-05T14:00:00.000Z",
  filled_at: "2026-01-05T12:00:00.000Z",
  fill: 100,
  exited_at: "2026-01-05T13:00:00.000Z",
  exit: 110,
  r_multiple: 1.98,
  max_favourable_r: 2,
  max_adverse_r: 0.2,
  costs: { spread_percent: 0.02, commission_percent: 0.04 },
  ...changes,
});

describe("a resolution in words", () => {
  it.each<[Partial<Resolution>, string]>([
    [{}, "The market traded beyond the target."],
    [{ exit: 112 }, "opened beyond the target and closed the trade at 112.00000"],
    [{ outcome: "LOSS", reason: "stop", exit: 95 }, "The market reached the stop."],
    [{ outcome: "LOSS", reason: "stop", exit: 92 }, "opened beyond the stop"],
    [{ outcome: "LOSS", reason: "both", exit: 95 }, "Which came first is unknown"],
    [{ outcome: "EXPIRED", reason: "hold-over", exit: 101 }, "ended at the close, 101.00000."],
    [{ outcome: "EXPIRED", reason: "not-filled", exit: null }, "There was no trade."],
  ])("%o says %s", (changes, words) => {
    expect(describeOutcome(judged(changes), LEVELS)).toContain(words);
  });
});

test.each([
  [
    { symbol: "ETHUSDT", timeframe: "4h", last_price: 3_512.4 },
    "ETHUSDT, 4h candles, last price 3,512.4",
  ],
  [{ symbol: null, timeframe: null, last_price: 1.0843 }, "last price 1.0843"],
  [{ symbol: null, timeframe: null, last_price: null }, "Nothing that names the market"],
])("what was read from a chart image is shown: %o", (reading, text) => {
  expect(chartText(reading)).toBe(text);
});
