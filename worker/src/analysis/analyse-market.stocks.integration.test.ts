import { instrumentClass } from "@shared/contract/instruments.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import type { FakeCandleApi } from "@shared/testing/fakes/candle-service.ts";
import { FAKE_OANDA_TOKEN, startFakeOanda } from "@shared/testing/fakes/fake-oanda.ts";
import { startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMarketData, type MarketDataSelection } from "../market-data/select-market-data.ts";
import { adviceOf, patient, silentLogger } from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import type { Analyst } from "./analyst.ts";

const at = (text: string) => Date.parse(`${text}:00Z`);
const STAKE = { amount: 10_000, riskPercent: 1, leverage: 5 };

/** Buys at the last price, with the stop two average ranges below. */
const buyer: Analyst = {
  name: "openai",
  version: "openai/scripted",
  async advise({ brief: { price, indicators } }) {
    const distance = 2 * (indicators.atr14 ?? 1);
    const levels = { entry: price, stop_loss: price - distance, take_profit: price + 2 * distance };
    const advice = adviceOf({ final_signal: "BUY", ...levels });
    return { advice, model: "scripted-1", prompt: "", rawReply: "" };
  },
};

let clock = at("2026-11-18T16:37");
let yahoo: FakeCandleApi;
let oanda: FakeCandleApi;
let market: MarketDataSelection;

beforeAll(async () => {
  const now = () => clock;
  yahoo = await startFakeYahoo({ now });
  oanda = await startFakeOanda({ now });
  const env = { MARKET_DATA: "live", YAHOO_URL: yahoo.url, OANDA_URL: oanda.url };
  const settings = loadWorkerSettings({ ...env, OANDA_TOKEN: FAKE_OANDA_TOKEN });
  market = await createMarketData({
    settings: { ...settings, EXCHANGES: [] },
    now,
    logger: silentLogger,
  });
});
afterAll(async () => {
  market.close();
  await Promise.all([yahoo.close(), oanda.close()]);
});

const settings = loadWorkerSettings({ TRADING_COSTS_STOCKS: "0.03,0.01" });

const ask = (symbol: string) =>
  generateSignal({
    request: { symbol, timeframe: "1h", limit: 50, ...STAKE },
    marketData: market.marketData,
    analyst: buyer,
    now: () => clock,
    costs: settings.TRADING_COSTS[instrumentClass(symbol)],
    abort: patient(),
  });

describe("a signal for a stock", () => {
  it.each(["AAPL", "MSFT"])(
    "of %s has Yahoo's candles, the costs of stocks and shares",
    async (symbol) => {
      clock = at("2026-11-18T16:37");
      const { analysis, provenance } = await ask(symbol);
      expect(analysis).toMatchObject({ final_signal: "BUY", source: { provider: "yahoo" } });
      expect(provenance.candles.market?.hours).toBe("us-stocks");
      expect(provenance.costs).toEqual({ spread_percent: 0.03, commission_percent: 0.01 });
      const { entry, stop_loss, suggested_units } = analysis;
      const distance = (entry ?? 0) - (stop_loss ?? 0);
      expect(distance).toBeGreaterThan(0);
      expect(Number.isInteger(suggested_units)).toBe(false);
      expect(suggested_units * distance).toBeCloseTo(100, 6);
      expect(analysis.estimated_dollar_risk).toBeCloseTo(100, 6);
      expect(oanda.requests).toEqual([]);
    },
  );

  it.each([
    ["2026-11-18T14:29", "2026-11-17 21:00", "2026-11-18 14:30"],
    ["2026-11-18T21:00", "2026-11-18 21:00", "2026-11-19 14:30"],
    ["2026-11-21T12:00", "2026-11-20 21:00", "2026-11-23 14:30"],
  ])("at %s is a WAIT that says when the exchange opens", async (now, closed, opens) => {
    clock = at(now);
    const { analysis } = await ask("AAPL");
    expect(analysis).toMatchObject({ final_signal: "WAIT", suggested_units: 0 });
    expect(analysis.warnings).toEqual([
      `The AAPL market closed at ${closed} UTC and opens at ${opens} UTC. No analysis was made, and you were not charged.`,
    ]);
  });
});
