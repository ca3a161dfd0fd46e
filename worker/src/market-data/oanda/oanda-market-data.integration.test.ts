import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { FakeCandleApi } from "@shared/testing/fakes/candle-service.ts";
import { type HttpFake, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { FAKE_OANDA_TOKEN, startFakeOanda } from "@shared/testing/fakes/fake-oanda.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CCXT_LIMITS, patient } from "../../testing/fakes.ts";
import { createOandaMarketData } from "./oanda-market-data.ts";

const WEDNESDAY = Date.UTC(2026, 10, 18, 16, 37, 12);

let oanda: FakeCandleApi;
let clock = WEDNESDAY;
const now = () => clock;

beforeAll(async () => {
  oanda = await startFakeOanda({ now });
});
afterAll(() => oanda.close());
beforeEach(() => {
  clock = WEDNESDAY;
  oanda.reset();
});

function ask(
  symbol: string,
  timeframe: Timeframe,
  { token = FAKE_OANDA_TOKEN, baseUrl = oanda.url, limit = 50 } = {},
) {
  const limits = CCXT_LIMITS.generous.candles;
  const provider = createOandaMarketData({ token, baseUrl, now, limits });
  return provider.candles({ symbol, timeframe, limit, abort: patient() });
}

describe("candles of OANDA", () => {
  it("are there for everything but crypto and stocks, and come with the hours of the instrument", async () => {
    const own = INSTRUMENTS.filter(({ class: kind }) => kind !== "crypto" && kind !== "stocks");
    for (const { symbol, hours } of own) {
      expect((await ask(symbol, "4h")).market, symbol).toEqual({ hours, delayMs: 0 });
    }
    for (const symbol of ["BTC/USDT", "AAPL"]) {
      await expect(ask(symbol, "4h")).rejects.toMatchObject({ failure: "unknown-symbol" });
    }
    expect(oanda.requests).toHaveLength(own.length);
  });

  it("are mid prices on the grid of UTC, one request for each series", async () => {
    await ask("XAU/USD", "1d", { limit: 300 });
    expect(oanda.requests).toHaveLength(1);
    const { pathname, searchParams } = oanda.requests[0]?.url ?? new URL("http://none");
    expect(pathname).toBe("/v3/instruments/XAU_USD/candles");
    expect(Object.fromEntries(searchParams)).toEqual({
      granularity: "D",
      count: "301",
      price: "M",
      dailyAlignment: "0",
      alignmentTimezone: "UTC",
    });
  });

  it("end with Friday's on a Saturday, as many as were asked for", async () => {
    clock = Date.UTC(2026, 10, 21, 12);
    const { candles } = await ask("EUR/USD", "1h", { limit: 300 });
    expect(candles).toHaveLength(300);
    expect(new Date(candles.at(-1)?.time ?? 0)).toEqual(new Date(Date.UTC(2026, 10, 20, 21)));
  });

  it("are refused for a token that is not good", async () => {
    await expect(ask("EUR/USD", "1h", { token: "wrong" })).rejects.toMatchObject({
      failure: "refused",
    });
  });
});

describe("an answer of OANDA", () => {
  let service: HttpFake;
  let answer: { status: number; body: unknown };
  beforeAll(async () => {
    service = await startHttpFake(async (_, response) =>
      sendJson(response, answer.body, answer.status),
    );
  });
  afterAll(() => service.close());
  const row = (back: number, part: object = {}) => ({
    time: String((Date.UTC(2026, 10, 18, 16) - back * TIMEFRAME_MS["1h"]) / 1_000),
    complete: back > 0,
    volume: 10,
    mid: { o: "1.10001", h: "1.2", l: "1.1", c: "1.15" },
    ...part,
  });
  const rows = Array.from({ length: 51 }, (_, index) => row(50 - index));
  const asked = () => ask("EUR/USD", "1h", { baseUrl: service.url });

  it("may give its times in seconds", async () => {
    answer = { status: 200, body: { candles: rows } };
    const { candles } = await asked();
    expect(candles).toHaveLength(50);
    expect(candles.at(-1)?.time).toBe(Date.UTC(2026, 10, 18, 15));
  });

  it("never shows a candle that is not complete, whatever its time", async () => {
    answer = {
      status: 200,
      body: { candles: [...rows.slice(0, -2), row(1, { complete: false })] },
    };
    expect((await asked()).candles.at(-1)?.time).toBe(Date.UTC(2026, 10, 18, 14));
  });

  it("never shows a candle that is not over, whatever it says", async () => {
    answer = { status: 200, body: { candles: [...rows.slice(0, -1), row(0, { complete: true })] } };
    expect((await asked()).candles.at(-1)?.time).toBe(Date.UTC(2026, 10, 18, 15));
  });

  it("ends before two candles that are not complete", async () => {
    answer = {
      status: 200,
      body: { candles: [...rows.slice(0, -2), row(1, { complete: false }), row(0)] },
    };
    const series = await asked();
    expect(series.candles.at(-1)?.time).toBe(Date.UTC(2026, 10, 18, 14));
    expect(series.shownUntil).toBe(Date.UTC(2026, 10, 18, 15));
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["null prices", row(20, { mid: { o: null, h: null, l: null, c: null } })],
    ["no prices", row(20, { mid: undefined })],
    ["text for a price", row(20, { mid: { o: "n/a", h: "1.2", l: "1.1", c: "1.15" } })],
    ["a high below the close", row(20, { mid: { o: "1.1", h: "1.14", l: "1.1", c: "1.15" } })],
    ["no time", row(20, { time: null })],
    ["a time off the grid", row(20, { time: "1794999600.5" })],
    ["an open hour that was followed by closed ones", row(20, { complete: false })],
  ])("with a row of %s has a flat candle for it", async (_, bad) => {
    const candles = rows.map((good, index) => (index === 30 ? bad : good));
    answer = { status: 200, body: { candles } };
    const series = await asked();
    expect(series.candles).toHaveLength(50);
    expect(series.candles[30]).toMatchObject({ high: 1.15, low: 1.15, volume: 0 });
    expect(series.candles.filter(({ volume }) => volume === 0)).toHaveLength(1);
    answer = { status: 200, body: { candles: candles.toReversed() } };
    expect(await asked()).toEqual(series);
  });

  it.each([
    [400, { errorMessage: "Invalid value specified for 'instrument'" }, "unknown-symbol"],
    [400, { errorMessage: "Maximum value for 'count' exceeded" }, "refused"],
    [200, { candles: "none" }, "nonsense"],
    [200, { candles: rows.map(() => "<br>") }, "nonsense"],
    [
      200,
      { candles: rows.map(({ time }) => row(0, { time: String(Number(time) + 1) })) },
      "nonsense",
    ],
  ])("of %i with %j is %s", async (status, body, failure) => {
    answer = { status, body };
    await expect(asked()).rejects.toMatchObject({ failure });
  });
});
