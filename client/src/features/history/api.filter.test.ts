import type { HistoryItem } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import {
  addressOfFilter,
  filterHistory,
  filterOfAddress,
  filterQuery,
  type HistoryFilter,
  isFiltering,
  noFilter,
  symbolPart,
} from "./api.ts";

const item = (id: string, change: Partial<HistoryItem> = {}): HistoryItem => ({
  id,
  timestamp: "2025-11-21T12:00:00.000Z",
  symbol: "BTC/USDT",
  timeframe: "1h",
  status: "completed",
  signal: "BUY",
  confidence: 70,
  entry: 1,
  stop_loss: 0.9,
  take_profit: 1.2,
  rationale: "",
  ...change,
});

const items = [
  item("a", { outcome: "WIN" }),
  item("b", { symbol: "ETH/USDT", signal: "SELL" }),
  item("c", { symbol: "XAU/USD", signal: "WAIT", outcome: "EXPIRED" }),
];

const found = (filter: Partial<HistoryFilter>) =>
  filterHistory(items, { ...noFilter, ...filter }).map(({ id }) => id);

test("without a filter everything is shown", () => {
  expect(found({})).toEqual(["a", "b", "c"]);
});

test("a symbol is found by a part of it", () => {
  expect(found({ symbol: "USDT" })).toEqual(["a", "b"]);
});

test("typed text is capitalized, without characters that no symbol has", () => {
  expect(symbolPart(" btc/us dt$")).toBe("BTC/USDT");
  expect(symbolPart("x".repeat(40))).toBe("X".repeat(20));
});

test("only the fields that are set are sent", () => {
  expect(filterQuery(noFilter)).toEqual({});
  expect(filterQuery({ ...noFilter, symbol: "BTC", signal: "BUY", outcome: "PENDING" })).toEqual({
    symbol: "BTC",
    signal: "BUY",
    outcome: "PENDING",
  });
});

test("a missing outcome counts as pending", () => {
  expect(found({ outcome: "PENDING" })).toEqual(["b"]);
  expect(found({ outcome: "WIN" })).toEqual(["a"]);
});

test("all fields have to match", () => {
  expect(found({ symbol: "USD", signal: "WAIT", outcome: "EXPIRED" })).toEqual(["c"]);
  expect(found({ symbol: "BTC", signal: "SELL" })).toEqual([]);
});

test("a WAIT is not pending", () => {
  const waits = [item("d", { signal: "WAIT" })];
  expect(filterHistory(waits, { ...noFilter, outcome: "PENDING" })).toEqual([]);
});

test("days count from their beginning to their end, where the reader is", () => {
  const at = (id: string, date: Date) => item(id, { timestamp: date.toISOString() });
  const some = [
    at("next", new Date(2025, 10, 22, 0, 0)),
    at("last", new Date(2025, 10, 21, 23, 59)),
    at("first", new Date(2025, 10, 20, 0, 0)),
    at("before", new Date(2025, 10, 19, 23, 59)),
  ];
  const days = { ...noFilter, from: "2025-11-20", to: "2025-11-21" };
  expect(filterHistory(some, days).map(({ id }) => id)).toEqual(["last", "first"]);
});

test("timeframe and origin have to match as well", () => {
  expect(found({ timeframe: "4h" })).toEqual([]);
  expect(found({ origin: "request" })).toEqual(["a", "b", "c"]);
  expect(found({ origin: "watchlist" })).toEqual([]);
});

test("the address says the filter; what it does not understand selects nothing", () => {
  const filter = { ...noFilter, symbol: "BTC", timeframe: "4h", from: "2025-11-20" } as const;
  const address = new URLSearchParams(addressOfFilter(filter));
  expect(String(address)).toBe("symbol=BTC&timeframe=4h&from=2025-11-20");
  expect(filterOfAddress(address)).toEqual(filter);
  const wrong = "signal=buy&outcome=DRAW&timeframe=2h&origin=x&from=2025-13-99x&to=now";
  expect(filterOfAddress(new URLSearchParams(wrong))).toEqual(noFilter);
});

test("an empty filter does not filter", () => {
  expect(isFiltering(noFilter)).toBe(false);
  expect(isFiltering({ ...noFilter, outcome: "PENDING" })).toBe(true);
});
