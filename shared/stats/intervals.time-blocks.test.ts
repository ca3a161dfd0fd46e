import { HOUR_MS } from "@shared/contract/constants.ts";
import { describe, expect, it } from "vitest";
import { dayNumber, groupIntoBlocks, holdingOf } from "./intervals.ts";

const daysOf = (trades: readonly { day: number; hours: number }[]) =>
  trades.map(({ day, hours }) => ({
    day,
    heldHours: holdingOf({ openedAt: 0, resolvedAt: hours * HOUR_MS }),
  }));
const blocksOf = (trades: readonly { day: number; hours: number }[]) =>
  groupIntoBlocks(daysOf(trades)).map((block) => block.map(({ day }) => day));

describe("blocks of time", () => {
  it("are single days where trades are closed within four hours", () => {
    const trades = [100, 101, 103].map((day) => ({ day, hours: 4 }));
    expect(blocksOf(trades)).toEqual([[100], [101], [103]]);
    expect(blocksOf(trades.map(({ day }) => ({ day, hours: 0 })))).toEqual([[100], [101], [103]]);
  });

  it("are six mean holding periods long, from the first day on", () => {
    const trades = [100, 101, 103, 104, 107, 109].map((day) => ({ day, hours: 24 }));
    expect(blocksOf(trades)).toEqual([
      [100, 101, 103, 104],
      [107, 109],
    ]);
  });

  it("stay short where a few trades of a long timeframe join many of a short one", () => {
    const short = Array.from({ length: 395 }, (_, index) => ({
      day: 100 + (index % 45),
      hours: 12,
    }));
    const long = Array.from({ length: 7 }, (_, index) => ({ day: 105 + 6 * index, hours: 300 }));
    // (395 × 12 + 7 × 300) / 402 = 17 hours; six times that are 4.3 days.
    expect(blocksOf([...short, ...long])).toHaveLength(45 / 5);
  });

  it("of no day are none", () => {
    expect(blocksOf([])).toEqual([]);
  });

  it("are cut at midnight UTC", () => {
    expect(dayNumber(Date.parse("1970-01-03T00:00:00Z"))).toBe(2);
    expect(dayNumber(Date.parse("1970-01-02T23:59:59Z"))).toBe(1);
  });
});
