import { expect, it } from "vitest";
import { candlesFromCloses } from "../testing/fakes.ts";
import { buildMarketBrief, tradingSession } from "./market-brief.ts";

it.each([
  ["2025-10-22T03:00:00Z", ["Asia"], false],
  ["2025-10-22T08:59:59Z", ["Asia", "London"], false],
  ["2025-10-22T09:00:00Z", ["London"], false],
  ["2025-10-22T14:00:00Z", ["London", "New York"], false],
  ["2025-10-22T20:00:00Z", ["New York"], false],
  ["2025-10-22T22:00:00Z", [], false],
  ["2025-10-25T14:00:00Z", ["London", "New York"], true],
  ["2025-10-26T23:59:00Z", [], true],
  ["2025-10-27T00:00:00Z", ["Asia"], false],
])("at %s %j trade; weekend: %s", (at, centres, isWeekend) => {
  expect(tradingSession(Date.parse(at))).toEqual({ centres, isWeekend });
});

it("has no meaning for daily candles", () => {
  const candles = candlesFromCloses([1, 2, 3], { timeframe: "1d" });
  const market = { symbol: "BTC/USDT", limit: 3, candles };
  expect(buildMarketBrief({ ...market, timeframe: "1d" }).session).toBeNull();
  expect(buildMarketBrief({ ...market, timeframe: "1h" }).session).not.toBeNull();
});
