import { MINUTE_MS } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { describe, expect, it } from "vitest";
import { closedCandles, openCandle, orderRows, readRows, resample } from "./candles.ts";

const OPEN_TIME = Date.UTC(2026, 0, 1, 12);
const NOW = OPEN_TIME + 20_000;
const PRICES = [10, 12, 9, 11, 5];

/** A row as the library gives it, `back` minutes before the open candle. */
const row = (back: number, prices: unknown[] = PRICES): unknown[] => [
  OPEN_TIME - back * MINUTE_MS,
  ...prices,
];

const timeOf = (back: number) => OPEN_TIME - back * MINUTE_MS;
const flat = (back: number): Candle => {
  const price = 11;
  return { time: timeOf(back), open: price, high: price, low: price, close: price, volume: 0 };
};

/** A hundred closed candles and the open one. */
const rows = (count = 100) => Array.from({ length: count + 1 }, (_, index) => row(count - index));
const without = (...backs: number[]) => rows().filter((_, index) => !backs.includes(100 - index));
const ordered = (input: unknown) => orderRows(readRows(input), "1m", NOW);
const read = (input: unknown, part: { count?: number; hours?: TradingHours } = {}) =>
  closedCandles(ordered(input), { timeframe: "1m", count: 100, closedUntil: NOW, ...part });

/** All hundred candles, with flat ones at some places. */
const withFlat = (...backs: number[]) =>
  read(rows()).map((candle, index) => (backs.includes(100 - index) ? flat(100 - index) : candle));

describe("reading a provider's candles", () => {
  it("takes the closed ones, oldest first", () => {
    const candles = read(rows());
    expect(candles).toHaveLength(100);
    const [open, high, low, close, volume] = [10, 12, 9, 11, 5];
    expect(candles[0]).toEqual({ time: timeOf(100), open, high, low, close, volume });
    expect(candles.at(-1)?.time).toBe(timeOf(1));
  });

  it("drops the open candle, later ones, and more than were asked for", () => {
    expect(read([...rows(120), row(-1), row(-400_000)])).toEqual(read(rows()));
  });

  it.each([undefined, null])("takes a volume of %s for none", (volume) => {
    const candles = read([...without(7), row(7, [10, 12, 9, 11, volume])]);
    expect(candles.at(-7)).toMatchObject({ time: timeOf(7), high: 12, volume: 0 });
  });

  it("takes rows in any order", () => {
    expect(read(rows().reverse())).toEqual(read(rows()));
    expect(read(rows().toSorted(() => 0.5))).toEqual(read(rows()));
  });

  it("takes the later of two rows with the same time, if it is usable", () => {
    const later = row(3, [10, 15, 9, 14, 8]);
    expect(read([...rows(), later, row(3, [0, 0, 0, 0, 0])]).at(-3)).toMatchObject({ close: 14 });
    expect(read([...rows(), ...rows()])).toEqual(read(rows()));
  });

  it("takes what a feed has that stopped, and what a young market has", () => {
    expect(read(rows(110).slice(0, 100)).at(-1)?.time).toBe(timeOf(11));
    expect(read(rows(12))).toHaveLength(12);
    expect(read(rows(0))).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["text", "<html>"],
    ["nothing", null],
    ["an object", { code: 0 }],
    ["no candles", []],
    ["rows of text", ["<html>", "</html>"]],
    ["no usable row", rows().map(([time]) => [time, null, null, null, null, null])],
    [
      "rows that are all off the grid",
      rows().map(([time, ...rest]) => [Number(time) + 1, ...rest]),
    ],
  ])("refuses %s", (_, input) => {
    expect(() => read(input)).toThrow(expect.objectContaining({ name: "UnusableCandlesError" }));
  });
});

describe("one unusable row", () => {
  const BAD_ROWS: readonly [string, (back: number) => unknown][] = [
    ["a high below the close by a tick", (back) => row(back, [10, 10.99, 9, 11, 5])],
    ["a low above the open", (back) => row(back, [10, 12, 10.01, 11, 5])],
    ["null prices", (back) => row(back, [null, null, null, null, null])],
    ["missing prices", (back) => row(back, [])],
    ["one missing price", (back) => row(back, [10, undefined, 9, 11, 5])],
    ["an open and low of 0", (back) => row(back, [0, 12, 0, 11, 5])],
    ["a negative price", (back) => row(back, [10, 12, -9, 11, 5])],
    ["a price that is no number", (back) => row(back, [Number.NaN, 12, 9, 11, 5])],
    ["an infinite price", (back) => row(back, [10, Number.POSITIVE_INFINITY, 9, 11, 5])],
    ["text for a price", (back) => row(back, ["n/a", 12, 9, 11, 5])],
    ["a negative volume", (back) => row(back, [10, 12, 9, 11, -5])],
    ["a late start", (back) => [timeOf(back) + 14_838, ...PRICES]],
    ["no time", () => [null, ...PRICES]],
    ["a broken time", () => [1.5, ...PRICES]],
    ["null instead of a row", () => null],
    ["text instead of a row", () => "<br>"],
    ["an empty row", () => []],
  ];

  it.each(BAD_ROWS)("with %s is dropped, and its time is flat", (_, bad) => {
    for (const back of [99, 50, 1]) {
      const input = rows();
      input.splice(100 - back, 1);
      expect(read([...input.slice(0, 100 - back), bad(back), ...input.slice(100 - back)])).toEqual(
        withFlat(back),
      );
    }
  });

  it.each(BAD_ROWS)("with %s leaves no open candle where that one has it", (_, bad) => {
    const shown = ordered([...without(0), bad(0)]);
    const closed = closedCandles(shown, { timeframe: "1m", count: 100, closedUntil: NOW });
    expect(closed).toEqual(read(rows()));
    expect(openCandle(shown, { closed, timeframe: "1m" })).toBeUndefined();
  });
});

describe("time without a candle", () => {
  it.each([
    ["two minutes", [50, 51]],
    ["every second minute", Array.from({ length: 49 }, (_, index) => 2 * index + 1)],
    ["a halt of 40 minutes", Array.from({ length: 40 }, (_, index) => 20 + index)],
    ["all but the oldest and the open candle", Array.from({ length: 99 }, (_, index) => 1 + index)],
  ])("of %s is flat at the last close, without volume", (_, backs) => {
    expect(read(without(...backs))).toEqual(withFlat(...backs));
  });

  it("at the end is flat only as far as the provider shows something later", () => {
    expect(read(without(1, 2))).toEqual(withFlat(1, 2));
    expect(read([...without(0, 1, 2), row(0, [null, null, null, null, null])])).toEqual(
      withFlat(1, 2),
    );
    expect(read(without(0, 1, 2)).at(-1)?.time).toBe(timeOf(3));
    expect(read([...without(0, 1, 2), row(1, [null, null, null, null, null])]).at(-1)).toEqual({
      ...flat(2),
    });
  });

  it("of an age makes no more candles than were asked for", () => {
    const first = [0, ...PRICES];
    expect(read([first, row(1), row(0)])).toHaveLength(100);
  });

  it("makes up whole longer candles", () => {
    const parts = read(without(1, 2, 3, 4, 5, 6, 7, 12));
    const longer = resample(parts, { from: "1m", to: "5m" });
    expect(longer).toHaveLength(20);
    expect(longer.at(-1)).toEqual({ ...flat(5) });
  });

  it.each<{ gap: string; hours: TradingHours; last: string; next: string; count: number }>([
    { gap: "session", hours: "forex", last: "18T10:00", next: "18T10:05", count: 5 },
    { gap: "weekend", hours: "forex", last: "20T21:59", next: "22T22:00", count: 1 },
    { gap: "long weekend", hours: "forex", last: "20T21:50", next: "22T22:10", count: 1 },
    { gap: "night", hours: "us-stocks", last: "18T20:59", next: "19T14:30", count: 1 },
    { gap: "holiday", hours: "us-stocks", last: "25T20:59", next: "27T14:30", count: 1 },
    { gap: "daily break", hours: "futures", last: "18T21:59", next: "18T23:00", count: 1 },
    { gap: "row in a weekend", hours: "forex", last: "20T22:00", next: "22T22:10", count: 1 },
  ])("in a $gap with hours of $hours is filled while the market is open", (market) => {
    const { hours, count, ...times } = market;
    const at = (text: string) => Date.parse(`2026-11-${text}:00Z`);
    const closedUntil = at(times.next);
    const shown = readRows([times.last, times.next].map((text) => [at(text), ...PRICES]));
    const shape = { timeframe: "1m", count: 5_000, closedUntil, hours } as const;
    const candles = closedCandles(orderRows(shown, shape.timeframe, closedUntil), shape);
    expect(candles).toHaveLength(count);
  });
});
