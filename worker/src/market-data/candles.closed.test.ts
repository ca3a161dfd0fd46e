import { MINUTE_MS } from "@shared/contract/constants.ts";
import { describe, expect, it } from "vitest";
import { closedCandles } from "./candles.ts";

const OPEN_TIME = Date.UTC(2026, 0, 1, 12);
const NOW = OPEN_TIME + 20_000;

type Row = (number | undefined)[];

/** A row as the library gives it, `back` minutes before the open candle. */
function row(back: number, part: Row = [10, 12, 9, 11, 5]): Row {
  return [OPEN_TIME - back * MINUTE_MS, ...part];
}

const rows = (count: number) => Array.from({ length: count }, (_, index) => row(count - index));
const allButLast = rows(100).slice(0, -1);
const read = (input: unknown, count = 100) =>
  closedCandles(input, { timeframe: "1m", count, now: NOW });

describe("reading a provider's candles", () => {
  it("takes the closed ones, oldest first", () => {
    const candles = read(rows(100));
    expect(candles).toHaveLength(100);
    expect(candles[0]).toEqual({
      time: OPEN_TIME - 100 * MINUTE_MS,
      open: 10,
      high: 12,
      low: 9,
      close: 11,
      volume: 5,
    });
  });

  it("drops the open candle, later ones, duplicates, and more than were asked for", () => {
    const messy = [...rows(120), row(1), row(0), row(-1)];
    expect(read(messy)).toEqual(read(rows(100)));
  });

  it("takes a missing volume for none", () => {
    const candles = read([...allButLast, row(1, [10, 12, 9, 11, undefined])]);
    expect(candles.at(-1)?.volume).toBe(0);
  });

  it("fills a gap of quiet minutes with flat candles", () => {
    const quiet = rows(100).filter((_, index) => index !== 50 && index !== 51);
    const candles = read(quiet);
    expect(candles).toHaveLength(100);
    expect(candles.slice(50, 52)).toEqual(
      [50, 49].map((back) => ({
        time: OPEN_TIME - back * MINUTE_MS,
        open: 11,
        high: 11,
        low: 11,
        close: 11,
        volume: 0,
      })),
    );
  });

  it("takes what a feed has that stopped", () => {
    expect(read(rows(110).slice(0, 100)).at(-1)?.time).toBe(OPEN_TIME - 11 * MINUTE_MS);
  });

  it("takes what a young market has", () => {
    expect(read(rows(40))).toHaveLength(40);
  });

  it("takes few where few were asked for", () => {
    expect(read(rows(1), 1)).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ["text", "<html>"],
    ["nothing", null],
    ["no candles", []],
    ["too few candles", rows(29)],
    ["a price of zero", [...allButLast, row(1, [0, 12, 0, 11, 5])]],
    ["a price that is no number", [...allButLast, row(1, [Number.NaN, 12, 9, 11, 5])]],
    ["an infinite price", [...allButLast, row(1, [10, Number.POSITIVE_INFINITY, 9, 11, 5])]],
    ["a missing price", [...allButLast, row(1, [10, undefined, 9, 11, 5])]],
    ["a negative volume", [...allButLast, row(1, [10, 12, 9, 11, -5])]],
    ["a high below the close", [...allButLast, row(1, [10, 10.5, 9, 11, 5])]],
    ["times in descending order", rows(100).reverse()],
    ["a time off the grid", [...allButLast, [OPEN_TIME - 30_000, 10, 12, 9, 11, 5]]],
    ["too many gaps", rows(100).filter((_, index) => index % 5 !== 0)],
  ])("refuses %s", (_, input) => {
    expect(() => read(input)).toThrow(expect.objectContaining({ name: "UnusableCandlesError" }));
  });
});
