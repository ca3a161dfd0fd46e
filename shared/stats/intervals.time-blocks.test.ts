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
  it("are single days where trades are closed within six hours", () => {
    const trades = [100, 101, 103].map((day) => ({ day, hours: 6 }));
    expect(blocksOf(trades)).toEqual([[100], [101], [103]]);
    expect(blocksOf(trades.map(({ day }) => ({ day, hours: 0 })))).toEqual([[100], [101], [103]]);
  });

  it("are four holding periods long, from the first day on", () => {
    const trades = [100, 101, 103, 104, 107, 109].map((day) => ({ day, hours: 24 }));
    expect(blocksOf(trades)).toEqual([[100, 101, 103], [104, 107], [109]]);
  });

  it("follow the trades that make up most of the time in the market", () => {
    const short = Array.from({ length: 200 }, (_, index) => ({ day: 100 + index, hours: 1 }));
    const long = { day: 299, hours: 240 };
    // Σh² / Σh = (200 + 57,600) / (200 + 240) = 131 hours; four times that are 22 days.
    expect(blocksOf([...short, long])).toHaveLength(Math.ceil(200 / 22));
  });

  it("of no day are none", () => {
    expect(blocksOf([])).toEqual([]);
  });

  it("are cut at midnight UTC", () => {
    expect(dayNumber(Date.parse("1970-01-03T00:00:00Z"))).toBe(2);
    expect(dayNumber(Date.parse("1970-01-02T23:59:59Z"))).toBe(1);
  });
});
