import { HOUR_MS } from "@shared/contract/constants.ts";
import { expect, it } from "vitest";
import { createReplayMarketData } from "./replay-market-data.ts";
import { activityAt } from "./simulation.ts";

const NOW = Date.UTC(2026, 2, 13, 12);

const meanRange = async (symbol: string, [from, to]: [number, number]): Promise<number> => {
  const market = createReplayMarketData({ now: () => NOW });
  const abort = new AbortController().signal;
  const { candles } = await market.candles({ symbol, timeframe: "1h", limit: 1_000, abort });
  const ranges = candles.flatMap(({ time, high, low }) => {
    const hour = (time / HOUR_MS) % 24;
    return hour >= from && hour < to ? [high - low] : [];
  });
  return ranges.reduce((sum, range) => sum + range, 0) / ranges.length;
};

it("a simulated currency moves most while London and New York both trade, least after New York", async () => {
  const overlap = await meanRange("AUD/USD", [12, 16]);
  const night = await meanRange("AUD/USD", [20, 24]);
  expect(overlap / night).toBeGreaterThan(1.8);
});

it("a simulated index moves most in its exchange's hours, a coin nearly as much all day", async () => {
  expect((await meanRange("US30", [13, 15])) / (await meanRange("US30", [0, 7]))).toBeGreaterThan(
    2,
  );
  const coin = (await meanRange("ADA/USDT", [13, 17])) / (await meanRange("ADA/USDT", [0, 7]));
  expect(coin).toBeGreaterThan(1.1);
  expect(coin).toBeLessThan(1.8);
});

it("the rhythm repeats each day", () => {
  for (const hour of Array(24).keys()) {
    const time = NOW + hour * HOUR_MS;
    expect(activityAt("XAU/USD", time + 24 * HOUR_MS)).toBe(activityAt("XAU/USD", time));
  }
});
