import { expect, it } from "vitest";
import { quietUntil } from "./deliver-channel.ts";

const NIGHT = { start: "22:00", end: "07:30", timeZone: "Europe/Berlin" };
const LUNCH = { start: "12:00", end: "13:00", timeZone: "UTC" };

it.each([
  { when: "before midnight", at: "2026-11-21T21:00:00Z", end: "2026-11-22T06:30:00.000Z" },
  { when: "after midnight", at: "2026-11-22T06:29:59Z", end: "2026-11-22T06:30:00.000Z" },
  { when: "at their end", at: "2026-11-22T06:30:00Z", end: null },
  { when: "before their start", at: "2026-11-21T20:59:59Z", end: null },
  { when: "in summer", at: "2026-07-01T20:00:00Z", end: "2026-07-02T05:30:00.000Z" },
  { when: "when summer time ends", at: "2026-10-24T20:00:00Z", end: "2026-10-25T06:30:00.000Z" },
  { when: "when it starts", at: "2026-03-28T21:00:00Z", end: "2026-03-29T05:30:00.000Z" },
  { when: "at noon", hours: LUNCH, at: "2026-11-21T12:59:00Z", end: "2026-11-21T13:00:00.000Z" },
  { when: "before noon", hours: LUNCH, at: "2026-11-21T11:59:00Z", end: null },
])("quiet hours $when end at $end", ({ hours = NIGHT, at, end }) => {
  expect(quietUntil(hours, new Date(at))?.toISOString() ?? null).toBe(end);
});
