import { describe, expect, it } from "vitest";
import { readChart, shortest } from "./yahoo-market-data.ts";

const column = (...values: unknown[]) => values;
const chart = (part: object) => ({ chart: { result: [part], error: null } });
const quote = {
  open: column(10, null, 10),
  high: column(12, null, 12),
  low: column(9, null, 9),
  close: column(11, null, 11),
  volume: column(5, null, null),
};

describe("reading a chart", () => {
  it("has no candle for a row of nulls, and takes a missing volume for none", () => {
    const body = chart({
      meta: { regularMarketTime: 200, currency: "USD" },
      timestamp: [60, 120, 180],
      indicators: { quote: [quote] },
    });
    const prices = { open: 10, high: 12, low: 9, close: 11 };
    expect(readChart(body)).toEqual({
      kind: "rows",
      rows: [
        { time: 60_000, candle: { time: 60_000, ...prices, volume: 5 } },
        { time: 120_000, candle: null },
        { time: 180_000, candle: { time: 180_000, ...prices, volume: 0 } },
      ],
      quotedAt: 200_000,
    });
  });

  it("needs neither meta nor times", () => {
    expect(readChart(chart({ indicators: { quote: [{}] } }))).toEqual({
      kind: "rows",
      rows: [],
      quotedAt: undefined,
    });
  });

  it.each([
    { high: column(10.5, null, 12) },
    { high: column("12 USD", null, 12) },
    { low: column(0, null, 9) },
    { close: column(undefined, null, 11) },
    { volume: column(-1, null, 1) },
  ])("drops a row with %j, and keeps the others", (broken) => {
    const part = { quote: [{ ...quote, ...broken }] };
    const body = chart({ timestamp: [60, 120, 180], indicators: part });
    expect(readChart(body)).toMatchObject({
      rows: [{ candle: null }, { candle: null }, { candle: { time: 180_000 } }],
    });
  });

  it.each([[null], ["soon"], [{}], [-60]])("drops a row at %j", (time) => {
    const body = chart({ timestamp: [60, time, 180], indicators: { quote: [quote] } });
    expect(readChart(body)).toMatchObject({ rows: [{ time: 60_000 }, { time: 180_000 }] });
  });

  it("returns the code of an error", () => {
    const error = { code: "Not Found", description: "No data found" };
    expect(readChart({ chart: { result: null, error } })).toEqual({
      kind: "error",
      code: "Not Found",
    });
  });

  it.each([[null], ["<html>"], [{}], [{ chart: {} }], [{ chart: { result: [], error: null } }]])(
    "is nothing of %j",
    (body) => expect(readChart(body)).toBeUndefined(),
  );
});

describe("a price in single precision", () => {
  it.each([
    [2034.199951171875, 2034.2],
    [1.0845986604690552, 1.0845987],
    [46706.578125, 46706.58],
    [64.05000305175781, 64.05],
    [15.5, 15.5],
    // A number that single precision does not have is no such price.
    [2034.2, 2034.2],
    [1.084598123456, 1.084598123456],
  ])("%d is %d", (sent, meant) => expect(shortest(sent)).toBe(meant));

  it("is nothing where there is none", () => {
    expect(shortest(null)).toBeNull();
    expect(shortest(undefined)).toBeNull();
  });
});
