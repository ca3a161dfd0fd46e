import type { Resolution } from "@shared/contract/resolution.ts";
import { describe, expect, it, test } from "vitest";
import { chartText } from "./result-card.tsx";
import { describeOutcome, describeProvider, resultText } from "./signal-content.tsx";

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

  it.each<[Partial<Resolution>, string]>([
    [{ exit: 101 }, "ended at the last known close, 101.00000."],
    [{ exit: null }, "Whether the entry was filled is unknown."],
  ])("without prices, %o says %s", (changes, words) => {
    const ended = judged({ outcome: "EXPIRED", reason: "no-data", ...changes });
    expect(describeOutcome(ended, LEVELS)).toContain(words);
  });

  it("has a result, none as it was not filled, or an unknown one", () => {
    expect(resultText(judged({}))).toBe("+1.98 R");
    expect(resultText(judged({ reason: "not-filled", r_multiple: null }))).toBe("Not filled");
    expect(resultText(judged({ reason: "no-data", r_multiple: null }))).toBe("Unknown");
  });

  it("names the provider that decided in place of the first one", () => {
    const provider_changed_at = "2026-01-05T12:00:00.000Z";
    const text = describeProvider(judged({ provider: "kraken", provider_changed_at }));
    expect(text).toMatch(/^Decided by the prices of kraken from .*2026.* on: /);
    expect(text).toContain("the provider of the analysis gave none for 24 hours.");
  });
});

test.each([
  [
    { symbol: "ETHUSDT", timeframe: "4h", last_price: 3_512.4 },
    "ETHUSDT; 4h candles; last price 3512.4",
  ],
  [{ symbol: null, timeframe: null, last_price: 1.0843 }, "last price 1.0843"],
  [
    {
      ...{ symbol: "BTCUSDT", timeframe: null, last_price: null },
      ...{ lines: [63_000, 0.00001234], patterns: ["double top", "range"] },
    },
    "BTCUSDT; lines at 63000, 0.00001234; double top, range",
  ],
  [
    { symbol: null, timeframe: null, last_price: null, lines: [], patterns: [] },
    "Nothing that names the market",
  ],
])("what was read from a chart image is shown: %o", (reading, text) => {
  expect(chartText(reading)).toBe(text);
});
