import type { HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import type { LiveState } from "../../../lib/realtime/store.ts";
import { mergeHistory } from "./use-history.ts";

const hour = (n: number) => `2025-11-21T${String(n).padStart(2, "0")}:00:00.000Z`;

const item = (id: string, n: number, change: Partial<HistoryItem> = {}): HistoryItem => ({
  id,
  timestamp: hour(n),
  symbol: "BTC/USDT",
  timeframe: "1h",
  status: "completed",
  signal: "BUY",
  confidence: 70,
  entry: 100,
  stop_loss: 98,
  take_profit: 104,
  rationale: "as read over REST",
  ...change,
});

const live = (id: string, n: number, status: SignalResponse["status"]): SignalResponse => ({
  signal_id: id,
  symbol: "ETH/USDT",
  timeframe: "4h",
  status,
  origin: "request",
  created_at: hour(n),
  analysis: null,
});

const merge = (
  items: HistoryItem[],
  signals: SignalResponse[],
  more: { hasMore?: boolean } & Partial<Pick<LiveState, "outcomes" | "entriesLeft">> = {},
) =>
  mergeHistory({
    items,
    hasMore: more.hasMore ?? false,
    live: {
      signals: Object.fromEntries(signals.map((signal) => [signal.signal_id, signal])),
      outcomes: more.outcomes ?? {},
      entriesLeft: more.entriesLeft ?? {},
    },
  });

const ids = (items: HistoryItem[]) => items.map(({ id }) => id);

test("a signal finished since then stands where its time puts it", () => {
  const items = [item("c", 9), item("a", 7)];
  const merged = merge(items, [live("d", 10, "completed"), live("b", 8, "failed")]);
  expect(ids(merged)).toEqual(["d", "c", "b", "a"]);
});

test("a signal still being worked on is not history", () => {
  expect(ids(merge([item("a", 7)], [live("b", 8, "running")]))).toEqual(["a"]);
});

test("a signal known from both sides is listed once, as REST tells it", () => {
  expect(merge([item("a", 7)], [live("a", 7, "completed")])).toEqual([item("a", 7)]);
});

test("a signal that REST saw unfinished is completed by its event", () => {
  const [merged] = merge([item("a", 7, { status: "running" })], [live("a", 7, "completed")]);
  expect(merged).toMatchObject({ id: "a", status: "completed", symbol: "ETH/USDT" });
});

test("an older signal waits for its page", () => {
  const signals = [live("old", 3, "completed")];
  expect(ids(merge([item("a", 7)], signals, { hasMore: true }))).toEqual(["a"]);
  expect(ids(merge([item("a", 7)], signals, { hasMore: false }))).toEqual(["a", "old"]);
});

test("the first signal ever appears in an empty history", () => {
  expect(ids(merge([], [live("first", 3, "completed")]))).toEqual(["first"]);
});

test("an outcome told of since then replaces the one read", () => {
  const merged = merge([item("a", 8), item("b", 7, { outcome: "LOSS" })], [], {
    outcomes: { a: "WIN" },
  });
  expect(merged.map(({ outcome }) => outcome)).toEqual(["WIN", "LOSS"]);
});

test("an entry that the price has left since then is told beside what was read", () => {
  const left = { price: 113_900, at: hour(9) };
  const merged = merge([item("a", 8), item("b", 7)], [], { entriesLeft: { b: left } });
  expect(merged.map(({ entry_left }) => entry_left)).toEqual([undefined, left]);
});
