import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMonthsUtc } from "./plans.ts";

const day = (text: string): Date => new Date(`${text}T23:59:59.999Z`);
const lastDayOf = (time: Date): number =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate();

const anchors = fc.date({ min: day("1999-01-01"), max: day("2101-01-01"), noInvalidDate: true });
const counts = fc.integer({ min: 0, max: 300 });

describe("calendar months in UTC", () => {
  it.each([
    ["2026-01-31", 1, "2026-02-28"],
    ["2026-01-31", 2, "2026-03-31"],
    ["2026-01-31", 3, "2026-04-30"],
    ["2028-01-31", 1, "2028-02-29"],
    ["2028-02-29", 12, "2029-02-28"],
    ["2028-02-29", 48, "2032-02-29"],
    ["2026-12-30", 2, "2027-02-28"],
    ["2026-10-15", 0, "2026-10-15"],
    ["2026-11-30", 24, "2028-11-30"],
  ])("start on %s and are %i later on %s", (anchor, months, expected) => {
    expect(addMonthsUtc(day(anchor), months)).toEqual(day(expected));
  });

  it("keep the time of the day, and the day unless the month is too short", () => {
    fc.assert(
      fc.property(anchors, counts, (anchor, months) => {
        const shifted = addMonthsUtc(anchor, months);
        expect(shifted.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
        expect(shifted.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDayOf(shifted)));
        const monthOf = (time: Date) => time.getUTCFullYear() * 12 + time.getUTCMonth();
        expect(monthOf(shifted) - monthOf(anchor)).toBe(months);
      }),
    );
  });
});
