import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isTraded } from "@shared/outcomes/flat-candles.ts";
import type { FakeCandleApi } from "@shared/testing/fakes/candle-service.ts";
import { FAKE_YAHOO_DELAY_MS, startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { recordedCandles } from "@shared/testing/recorded-candles.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CCXT_LIMITS, patient } from "../../testing/fakes.ts";
import type { CandleRequest } from "../market-data.ts";
import { createYahooMarketData } from "./yahoo-market-data.ts";

/** Winter in New York, which is 5 hours behind UTC: stocks trade from 14:30 to 21:00. */
const WEDNESDAY = Date.UTC(2026, 10, 18, 16, 37, 12);

let yahoo: FakeCandleApi;
let clock = WEDNESDAY;
const now = () => clock;

beforeAll(async () => {
  yahoo = await startFakeYahoo({ now });
});
afterAll(() => yahoo.close());
beforeEach(() => {
  clock = WEDNESDAY;
  yahoo.reset();
});

function ask(symbol: string, timeframe: Timeframe, part: Partial<CandleRequest> = {}) {
  const provider = createYahooMarketData({
    baseUrl: yahoo.url,
    now,
    limits: CCXT_LIMITS.generous.candles,
  });
  return provider.candles({ symbol, timeframe, limit: 50, abort: patient(), ...part });
}
const lastOf = async (symbol: string, timeframe: Timeframe) => {
  const { candles } = await ask(symbol, timeframe);
  return new Date(candles.at(-1)?.time ?? 0).toISOString();
};
const hourOfDay = (time: number) => new Date(time).getUTCHours();

describe("candles of Yahoo's chart endpoint", () => {
  it("have the prices of the rows, in the digits that were meant", async () => {
    const { candles } = await ask("EUR/USD", "1h", { limit: 20 });
    const traded = candles.filter(isTraded);
    expect(traded.length).toBeGreaterThan(18);
    for (const { time, close } of traded) {
      const [recorded] = recordedCandles({
        symbol: "EUR/USD",
        timeframe: "1h",
        from: time,
        count: 1,
      });
      expect(close).toBeCloseTo(recorded?.close ?? 0, 6);
      expect(String(close).length).toBeLessThanOrEqual(9);
    }
  });

  it("of four hours are built from one, on the grid of UTC, without the hours of a break", async () => {
    const { candles } = await ask("XAU/USD", "4h");
    expect(yahoo.requests[0]?.url.searchParams.get("interval")).toBe("1h");
    expect(candles.filter(({ time }) => hourOfDay(time) % 4 !== 0)).toEqual([]);
    const evening = candles.findLast(({ time }) => hourOfDay(time) === 20);
    const from = evening?.time ?? 0;
    const hours = recordedCandles({ symbol: "XAU/USD", timeframe: "1h", from, count: 4 });
    const traded = hours.filter(({ time }) => hourOfDay(time) !== 22);
    expect(evening?.high).toBeCloseTo(Math.max(...traded.map(({ high }) => high)), 3);
    expect(evening?.close).toBeCloseTo(traded.at(-1)?.close ?? 0, 3);
  });

  it.each<Timeframe>(["1h", "4h"])(
    "of the stock market at %s are built from half hours, as its hours begin at half past",
    async (timeframe) => {
      const { candles, market } = await ask("US30", timeframe);
      expect(yahoo.requests[0]?.url.searchParams.get("interval")).toBe("30m");
      expect(candles.filter(({ time }) => time % TIMEFRAME_MS[timeframe] !== 0)).toEqual([]);
      expect(market?.hours).toBe("us-stocks");
    },
  );

  it.each([
    ["a moment before the hour is over for a feed ten minutes late", -1_000, "2026-11-18T15:00"],
    ["once it is over for that feed", 0, "2026-11-18T16:00"],
  ])("of futures show the hour that closed at 17:00 %s", async (_, offsetMs, last) => {
    clock = Date.UTC(2026, 10, 18, 17) + FAKE_YAHOO_DELAY_MS + offsetMs;
    expect(await lastOf("XAU/USD", "1h")).toBe(`${last}:00.000Z`);
  });

  it("of days carry their date, whichever midnight their exchange counts from", async () => {
    for (const symbol of ["EUR/USD", "XAU/USD", "SPX500"]) {
      expect(await lastOf(symbol, "1d"), symbol).toBe("2026-11-17T00:00:00.000Z");
    }
  });

  it.each<[string, Timeframe, string]>([
    ["EUR/USD", "1h", "2026-11-20T21:00"],
    ["WTI", "4h", "2026-11-20T20:00"],
    ["SPX500", "1m", "2026-11-20T20:59"],
    ["SPX500", "30m", "2026-11-20T20:30"],
    ["SPX500", "4h", "2026-11-20T20:00"],
    ["NAS100", "1d", "2026-11-20T00:00"],
    ["AAPL", "1h", "2026-11-20T20:00"],
    ["MSFT", "1d", "2026-11-20T00:00"],
  ])(
    "of %s at %s end with Friday's on a Saturday: the last quote is no candle",
    async (symbol, timeframe, last) => {
      clock = Date.UTC(2026, 10, 21, 12);
      expect(await lastOf(symbol, timeframe)).toBe(`${last}:00.000Z`);
    },
  );

  it("never ask for more history than there is", async () => {
    for (const timeframe of TIMEFRAMES) {
      const { candles } = await ask("SPX500", timeframe, { limit: 500 });
      expect(candles.length, timeframe).toBeGreaterThan(80);
    }
  });

  it("come from an answer without anything but rows, too", async () => {
    const bare = await startFakeYahoo({ now, bare: true });
    const provider = createYahooMarketData({ baseUrl: `${bare.url}/`, now });
    const request = { symbol: "EUR/USD", timeframe: "5m", limit: 50, abort: patient() } as const;
    const { candles } = await provider.candles(request);
    await bare.close();
    expect(candles.at(-1)?.time).toBe(Date.UTC(2026, 10, 18, 16, 30));
  });

  it("are asked for by the ticker, with a name for the program", async () => {
    await ask("NAS100", "1d");
    expect(yahoo.requests[0]?.url.pathname).toBe("/v8/finance/chart/%5ENDX");
    expect(yahoo.requests[0]?.headers["user-agent"]).toMatch(/^Mozilla/);
  });

  it("are not had for crypto, which others have", async () => {
    await expect(ask("BTC/USDT", "1h")).rejects.toMatchObject({ failure: "unknown-symbol" });
    expect(yahoo.requests).toEqual([]);
  });
});

describe("the endpoint", () => {
  it.each([
    ["ok", true],
    ["unavailable", true],
    ["rate-limited", true],
    ["down", false],
  ] as const)("that is %s counts as reachable: %s", async (behaviour, reachable) => {
    const provider = createYahooMarketData({ baseUrl: yahoo.url, now });
    yahoo.behave(behaviour);
    expect(await provider.isReachable(patient())).toBe(reachable);
  });
});
