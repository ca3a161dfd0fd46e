import { expect, test } from "vitest";
import { classifyEvent, parseLiveEvent } from "./events.ts";

test.each([
  ["the next one", 8, "apply"],
  ["the last one again", 7, "ignore"],
  ["an old one", 3, "ignore"],
  ["one too far ahead", 9, "gap"],
])("after event 7, %s is classified", (_which, seq, verdict) => {
  expect(classifyEvent({ user: 7 }, { stream: "user", seq })).toBe(verdict);
});

test("streams are counted separately", () => {
  const positions = { user: 7, admins: 40 };
  expect(classifyEvent(positions, { stream: "admins", seq: 41 })).toBe("apply");
  expect(classifyEvent(positions, { stream: "admins", seq: 8 })).toBe("ignore");
});

test("a new stream starts at any number", () => {
  expect(classifyEvent({ user: 7 }, { stream: "admins", seq: 12 })).toBe("apply");
});

test("an event whose data or name is unknown is not an event", () => {
  const envelope = { stream: "user", seq: 11, at: "2025-11-21T12:00:00.000Z" };
  expect(parseLiveEvent("signal:queued", { ...envelope, data: { signal_id: 5 } })).toBeNull();
  expect(parseLiveEvent("signal:dreamt", { ...envelope, data: {} })).toBeNull();
});
