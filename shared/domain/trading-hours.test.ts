import type { TradingHours } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { isOpen, lastClose, nextOpen, nextOpenClose } from "./trading-hours.ts";

/** Unix milliseconds of a time in UTC. */
const utc = (text: string) => Date.parse(`${text}:00Z`);
const JUST_BEFORE_MS = 1;

describe("a market is open", () => {
  it.each<[TradingHours, string, boolean, string]>([
    ["always", "2026-11-21T12:00", true, "a Saturday"],
    ["forex", "2026-11-20T21:59", true, "Friday, a minute before 17:00 in New York in winter"],
    ["forex", "2026-11-20T22:00", false, "Friday 17:00 in winter"],
    ["forex", "2026-11-21T12:00", false, "a Saturday"],
    ["forex", "2026-11-22T21:59", false, "Sunday, a minute before 17:00"],
    ["forex", "2026-11-22T22:00", true, "Sunday 17:00 in winter"],
    ["forex", "2026-11-24T22:30", true, "a Tuesday evening: no daily break"],
    ["forex", "2026-07-17T20:59", true, "Friday, a minute before 17:00 in summer"],
    ["forex", "2026-07-17T21:00", false, "Friday 17:00 in summer"],
    ["forex", "2026-07-19T21:00", true, "Sunday 17:00 in summer"],
    ["futures", "2026-11-22T22:59", false, "Sunday, a minute before 18:00"],
    ["futures", "2026-11-22T23:00", true, "Sunday 18:00"],
    ["futures", "2026-11-24T21:59", true, "Tuesday, a minute before the break"],
    ["futures", "2026-11-24T22:00", false, "Tuesday 17:00: the break begins"],
    ["futures", "2026-11-24T22:59", false, "Tuesday, the last minute of the break"],
    ["futures", "2026-11-24T23:00", true, "Tuesday 18:00: the break is over"],
    ["futures", "2026-11-20T21:59", true, "Friday, a minute before 17:00"],
    ["futures", "2026-11-20T23:00", false, "Friday 18:00: no next session"],
    ["us-stocks", "2026-11-20T14:29", false, "Friday 9:29 in winter"],
    ["us-stocks", "2026-11-20T14:30", true, "Friday 9:30 in winter"],
    ["us-stocks", "2026-11-20T20:59", true, "Friday 15:59"],
    ["us-stocks", "2026-11-20T21:00", false, "Friday 16:00"],
    ["us-stocks", "2026-07-17T13:30", true, "Friday 9:30 in summer"],
    ["us-stocks", "2026-07-17T20:00", false, "Friday 16:00 in summer"],
    ["us-stocks", "2026-11-22T15:00", false, "a Sunday"],
  ])("%s at %s: %s (%s)", (hours, at, open) => {
    expect(isOpen(hours, utc(at))).toBe(open);
  });
});

describe("the next opening", () => {
  it.each<[TradingHours, string, string]>([
    ["forex", "2026-11-20T22:00", "2026-11-22T22:00"],
    ["forex", "2026-11-21T12:00", "2026-11-22T22:00"],
    ["forex", "2026-11-22T21:59", "2026-11-22T22:00"],
    ["forex", "2026-11-22T22:00", "2026-11-29T22:00"],
    ["futures", "2026-11-24T22:10", "2026-11-24T23:00"],
    ["futures", "2026-11-20T22:10", "2026-11-22T23:00"],
    ["us-stocks", "2026-11-20T21:00", "2026-11-23T14:30"],
    ["us-stocks", "2026-11-23T03:00", "2026-11-23T14:30"],
    ["us-stocks", "2026-11-23T15:00", "2026-11-24T14:30"],
  ])("of %s after %s is at %s", (hours, at, expected) => {
    expect(new Date(nextOpen(hours, utc(at))).toISOString()).toBe(`${expected}:00.000Z`);
  });

  it.each([
    {
      name: "clocks go forward",
      at: "2026-03-07T12:00",
      closed: "2026-03-06T22:00",
      opens: "2026-03-08T21:00",
    },
    {
      name: "clocks go back",
      at: "2026-10-31T12:00",
      closed: "2026-10-30T21:00",
      opens: "2026-11-01T22:00",
    },
  ])("moves by an hour over the weekend on which $name", ({ at, closed, opens }) => {
    expect(lastClose("forex", utc(at))).toBe(utc(closed));
    expect(nextOpen("forex", utc(at))).toBe(utc(opens));
    expect(isOpen("forex", utc(opens) - JUST_BEFORE_MS)).toBe(false);
    expect(isOpen("forex", utc(opens))).toBe(true);
  });

  it("is now where a market never closes", () => {
    expect(nextOpen("always", 1_000)).toBe(1_000);
    expect(lastClose("always", 1_000)).toBeNull();
  });
});

describe("the last closing", () => {
  it.each<[TradingHours, string, string]>([
    ["forex", "2026-11-20T22:00", "2026-11-20T22:00"],
    ["forex", "2026-11-25T12:00", "2026-11-20T22:00"],
    ["futures", "2026-11-24T22:10", "2026-11-24T22:00"],
    ["futures", "2026-11-24T23:10", "2026-11-24T22:00"],
    ["us-stocks", "2026-11-22T12:00", "2026-11-20T21:00"],
  ])("of %s before %s was at %s", (hours, at, expected) => {
    expect(new Date(lastClose(hours, utc(at)) ?? 0).toISOString()).toBe(`${expected}:00.000Z`);
  });
});

describe("the next close at which a market stays open", () => {
  it.each<[TradingHours, Timeframe, string, string]>([
    ["always", "1h", "2026-11-21T12:00", "2026-11-21T13:00"],
    ["always", "1d", "2026-11-21T12:01", "2026-11-22T00:00"],
    ["forex", "1h", "2026-11-20T20:30", "2026-11-20T21:00"],
    // Trading ends with the candle that closes at 22:00, and starts with one that closes at 23:00.
    ["forex", "1h", "2026-11-20T21:30", "2026-11-22T23:00"],
    ["forex", "4h", "2026-11-20T21:30", "2026-11-23T00:00"],
    ["forex", "1d", "2026-11-20T12:00", "2026-11-23T00:00"],
    ["futures", "15m", "2026-11-24T21:50", "2026-11-24T23:15"],
    ["us-stocks", "4h", "2026-11-24T20:30", "2026-11-25T16:00"],
  ])("%s %s after %s: %s", (...row) => {
    const [hours, timeframe, at, expected] = row;
    expect(nextOpenClose(hours, timeframe, utc(at))).toBe(utc(expected));
  });

  it("does not exist for days of a market that opens and closes within them", () => {
    expect(nextOpenClose("us-stocks", "1d", utc("2026-11-24T12:00"))).toBeNull();
  });
});
