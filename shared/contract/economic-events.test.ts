import { expect, it } from "vitest";
import { type EconomicEvent, eventsInWindow, nextWindowStart } from "./economic-events.ts";

const at = "2026-11-27T13:30:00.000Z";
const high: EconomicEvent = { title: "CPI", currency: "USD", at, impact: "High" };
const minutes = (count: number) => Date.parse(at) + count * 60_000;

it.each([
  [-31, false],
  [-30, true],
  [0, true],
  [14.9, true],
  [15, false],
])("%d minutes from a High event, it is in its window: %s", (count, isIn) => {
  expect(eventsInWindow([high], minutes(count))).toEqual(isIn ? [high] : []);
});

it("other events have no window", () => {
  const others = (["Medium", "Low", "Holiday"] as const).map((impact) => ({ ...high, impact }));
  expect(eventsInWindow(others, minutes(0))).toEqual([]);
  expect(nextWindowStart(others, minutes(-60))).toBeNull();
});

it("the next window is the first that has not started", () => {
  const later = { ...high, at: new Date(minutes(120)).toISOString() };
  expect(nextWindowStart([later, high], minutes(-60))).toBe(minutes(-30));
  expect(nextWindowStart([later, high], minutes(-30))).toBe(minutes(90));
  expect(nextWindowStart([later, high], minutes(200))).toBeNull();
});

it("every minute of a year's High events is in a window, and no other minute", () => {
  const start = Date.UTC(2026, 0, 1);
  const times = Array.from({ length: 400 }, (_, index) => start + index * 79_217 * 1_000);
  const events = times.map((time) => ({ ...high, at: new Date(time).toISOString() }));
  for (const [index, time] of times.entries()) {
    const event = events[index];
    if (!event) continue;
    const isIn = (offset: number) => eventsInWindow([event], time + offset * 60_000).length === 1;
    for (let offset = -40; offset <= 25; offset += 1) {
      expect(isIn(offset)).toBe(offset >= -30 && offset < 15);
    }
  }
});
