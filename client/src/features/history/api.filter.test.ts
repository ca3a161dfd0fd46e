import type { HistoryItem } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import {
  filterHistory,
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
  expect(filterQuery({ symbol: "BTC", signal: "BUY", outcome: "PENDING" })).toEqual({
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

test("an empty filter does not filter", () => {
  expect(isFiltering(noFilter)).toBe(false);
  expect(isFiltering({ ...noFilter, outcome: "PENDING" })).toBe(true);
});
