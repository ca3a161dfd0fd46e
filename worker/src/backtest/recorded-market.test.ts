import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Candle } from "@shared/contract/market-data.ts";
import { afterAll, describe, expect, it } from "vitest";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { candlesFromCloses, series } from "../testing/fakes.ts";
import {
  fetchHistory,
  readCandleFile,
  recordedLibrary,
  recordedMarket,
  recordedSymbols,
} from "./recorded-market.ts";
import { closeOf, selectRange } from "./simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "backtest-candles-"));
afterAll(() => rmSync(folder, { recursive: true }));

const candles = candlesFromCloses(series(1_200, (index) => 100 + (index % 7)));
const own = { provider: "made", data: "replay" as const, notes: [] };
const { signal: abort } = new AbortController();

describe("laying a course", () => {
  const lay = (bars: number, warmUp: number, count = 1_200) =>
    selectRange({
      symbol: "MADE/USDT",
      timeframe: "1h",
      series: { ...own, candles: candles.slice(0, count) },
      bars,
      warmUp,
    });

  it("takes the last bars, with the warm-up before them", () => {
    const course = lay(100, 300);
    expect(course?.series.candles).toEqual(candles.slice(-400));
    expect(course).toMatchObject({ firstBar: 299, lastBar: 398 });
  });

  it("decides at fewer where there are fewer candles, and at none where there are too few", () => {
    expect(lay(1_000, 300, 1_000)).toMatchObject({ firstBar: 299, lastBar: 998 });
    expect(lay(1_000, 300, 302)).toMatchObject({ firstBar: 299, lastBar: 300 });
    expect(lay(1_000, 300, 301)).toBeNull();
  });

  it("knows when its candles close", () => {
    const course = lay(100, 300);
    const last = candles.at(-1)?.time ?? 0;
    expect(course && closeOf(course, 399)).toBe(last + 3_600_000);
  });
});

describe("recorded candles", () => {
  const find = recordedLibrary();

  it("are there at their timeframes, and at those that they can be joined to", () => {
    expect(find("BTC/USDT", "1h")?.candles).toHaveLength(1_000);
    expect(find("BTC/USDT", "4h")?.candles.length).toBeGreaterThan(240);
    expect(find("BTC/USDT", "4h")).toBe(find("BTC/USDT", "4h"));
    expect(find("EUR/USD", "5m")).toBeUndefined();
    expect(find("NONE/USDT", "1h")).toBeUndefined();
    expect(recordedSymbols(find)).toContain("XAU/USD");
  });

  it("end with the last one that was closed by then", async () => {
    const market = recordedMarket(() => ({ ...own, candles }));
    const request = { symbol: "MADE/USDT", timeframe: "1h", limit: 3, abort } as const;
    const until = (candles[10]?.time ?? 0) + 3_600_000;
    const times = async (at: number) =>
      (await market.candles({ ...request, until: at })).candles.map(({ time }) => time);
    expect(await times(until)).toEqual(candles.slice(8, 11).map(({ time }) => time));
    expect(await times(until - 1)).toEqual(candles.slice(7, 10).map(({ time }) => time));
    await expect(times(candles[0]?.time ?? 0)).rejects.toThrow("that early");
  });
});

describe("a file of candles", () => {
  const HEAD = "time,open,high,low,close,volume";
  const write = (lines: string[], name = "own.csv") => {
    const file = join(folder, name);
    writeFileSync(file, [HEAD, ...lines].join("\n"));
    return file;
  };
  const lineOf = (candle: Candle) =>
    [candle.time, candle.open, candle.high, candle.low, candle.close, candle.volume].join(",");
  const lines = candles.slice(0, 3).map(lineOf);

  it("is read", () => {
    expect(readCandleFile(write(lines), "1h").candles).toEqual(candles.slice(0, 3));
  });

  it.each([
    ["is missing", () => join(folder, "none.csv"), "cannot be read"],
    ["is empty", () => write([]), "does not hold candles"],
    ["holds other things", () => write(["a,b,c"]), "does not hold candles"],
    ["is not in order", () => write(lines.toReversed()), "is not later than the one before it"],
    ["is of another timeframe", () => write(["60000,1,1,1,1,1"]), "on the grid of 1h"],
  ])("is refused when it %s", (_, file, reason) => {
    expect(() => readCandleFile(file(), "1h")).toThrow(reason);
  });
});

describe("fetching a history", () => {
  function provider(count: number): MarketData & { pages: (number | undefined)[] } {
    const pages: (number | undefined)[] = [];
    const market = recordedMarket(() => ({ ...own, candles: candles.slice(-count) }));
    return {
      pages,
      candles: (request) => {
        pages.push(request.until);
        return market.candles(request);
      },
    };
  }
  const fetch = (market: MarketData, count: number) =>
    fetchHistory({ market, symbol: "MADE/USDT", timeframe: "1h", count, abort });

  it("goes back page by page until it has enough", async () => {
    const market = provider(1_200);
    const { candles: fetched } = await fetch(market, 1_100);
    expect(fetched).toEqual(candles.slice(-1_100));
    expect(market.pages).toEqual([undefined, candles.at(-500)?.time, candles.at(-1_000)?.time]);
  });

  it("takes what a young market has", async () => {
    expect((await fetch(provider(620), 1_100)).candles).toEqual(candles.slice(-620));
  });

  it("mixes no providers", async () => {
    const market = provider(1_200);
    const fickle: MarketData = {
      async candles(request) {
        const page = await market.candles(request);
        return request.until === undefined ? page : { ...page, provider: "another" };
      },
    };
    expect((await fetch(fickle, 1_100)).candles).toEqual(candles.slice(-500));
  });

  it("fails with its provider", async () => {
    const error = new ProviderError({ provider: "x", failure: "unreachable", message: "gone" });
    await expect(fetch({ candles: () => Promise.reject(error) }, 100)).rejects.toThrow(error);
  });
});
