import { expect, test } from "vitest";
import { makeHistoryItem } from "../../testing/factories.ts";
import { entryNote } from "./signal-card.tsx";

const NOW = new Date(2025, 10, 21, 15, 0);
const at = (hours: number, minutes: number) => new Date(2025, 10, 21, hours, minutes).toISOString();

const item = makeHistoryItem({ timestamp: at(14, 0) });

test("a missed entry is shown with price and time, even after its validity has expired", () => {
  const left = { price: 113_900, at: at(14, 5) };
  const text = "Price has left the entry zone (113900 at 14:05).";
  expect(entryNote({ ...item, entry_left: left, valid_until: at(18, 0) }, NOW)).toBe(text);
  expect(entryNote({ ...item, entry_left: left, valid_until: at(14, 30) }, NOW)).toBe(text);
});

test("an expired entry is shown with the time", () => {
  expect(entryNote({ ...item, valid_until: at(14, 30) }, NOW)).toBe(
    "The entry was valid until 14:30.",
  );
});

test("nothing is shown for a valid entry, an unknown validity, or a trade that is entered or resolved", () => {
  expect(entryNote({ ...item, valid_until: at(18, 0) }, NOW)).toBeNull();
  expect(entryNote({ ...item, valid_until: null }, NOW)).toBeNull();
  expect(entryNote(item, NOW)).toBeNull();
  expect(entryNote({ ...item, valid_until: at(14, 30), outcome: "WIN" }, NOW)).toBeNull();
  const filled = { price: 113_000, at: at(14, 10) };
  expect(entryNote({ ...item, valid_until: at(14, 30), filled }, NOW)).toBeNull();
});
