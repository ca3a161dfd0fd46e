import { describe, expect, it } from "vitest";
import { closedTrade } from "./tally.ts";

const FILLED = Date.parse("2026-11-20T10:00:00Z");
const target = {
  reason: "target",
  filled_at: "2026-11-20T10:00:00Z",
  fill: 100,
  exit: 120,
  r_multiple: 1.98,
  entry: 100,
  stopLoss: 90,
  takeProfit: 120,
} as const;

describe("a closed trade", () => {
  it("that won scores 1, from the price that it was filled at", () => {
    const won = { openedAt: FILLED, baseline: 1 / 3, score: 1, rMultiple: 1.98, rangeR: 3 };
    expect(closedTrade(target)).toEqual(won);
    expect(closedTrade({ ...target, fill: 105 })?.baseline).toBeCloseTo(1 / 2, 12);
  });

  it.each(["stop", "both"] as const)(
    "that lost (%s) scores 0, even if its exit is a gap",
    (reason) => {
      expect(closedTrade({ ...target, reason, exit: 88 })?.score).toBe(0);
    },
  );

  it("that was closed at its hold limit scores by its exit", () => {
    expect(closedTrade({ ...target, reason: "hold-over", exit: 105 })?.score).toBeCloseTo(
      1 / 2,
      12,
    );
    const sell = { stopLoss: 110, takeProfit: 80, exit: 95 };
    const sold = closedTrade({ ...target, ...sell, reason: "hold-over" });
    expect(sold?.score).toBeCloseTo(1 / 2, 12);
    expect(sold?.baseline).toBeCloseTo(1 / 3, 12);
  });

  it("is none where nothing was filled", () => {
    const nothing = { filled_at: null, fill: null, exit: null, r_multiple: null };
    expect(closedTrade({ ...target, ...nothing, reason: "not-filled" })).toBeNull();
  });
});
