import { HOUR_MS } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { analysisSchema } from "@shared/contract/signal.ts";
import { describe, expect, it } from "vitest";
import type { CandleSeries } from "../market-data/market-data.ts";
import {
  adviceOf,
  candlesFromCloses,
  memoryMarketData,
  series as numbers,
  scriptedAnalyst,
} from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import { signalProvenanceSchema } from "./provenance.ts";

const utc = (text: string) => Date.parse(`${text}:00Z`);
const NOTHING_CHARGED = "No analysis was made, and you were not charged.";

/** Hourly candles, the last of which closed at `closed`. */
function seriesUntil(closed: string, part: Partial<CandleSeries> = {}): CandleSeries {
  const closes = numbers(300, (index) => 100 + Math.sin(index / 5));
  const startAt = utc(closed) - closes.length * HOUR_MS;
  const candles = candlesFromCloses(closes, { startAt });
  return { candles, provider: "memory", data: "live", notes: [], ...part };
}

const market = (hours: TradingHours, delayMinutes = 0) => ({
  market: { hours, delayMs: delayMinutes * 60_000 },
});

async function ask(symbol: string, series: CandleSeries, now: string) {
  const analyst = scriptedAnalyst([adviceOf({})]);
  const marketData = memoryMarketData({ [symbol]: series });
  const signal = await generateSignal({
    request: { symbol, timeframe: "1h", limit: 50, amount: 100, riskPercent: 1, leverage: 1 },
    marketData,
    analyst,
    now: () => utc(now),
    costs: DEFAULT_TRADING_COSTS.crypto,
    abort: new AbortController().signal,
  });
  return { ...signal, asked: analyst.asked.length };
}

describe("a signal for a closed market", () => {
  it("is a WAIT that says when the market opens, without asking the analyst", async () => {
    const series = seriesUntil("2026-11-20T22:00", market("futures"));
    const { analysis, provenance, candles, asked } = await ask(
      "XAU/USD",
      series,
      "2026-11-21T12:00",
    );
    expect(asked).toBe(0);
    expect(analysisSchema.parse(analysis)).toEqual(analysis);
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      stop_loss: null,
      take_profit: null,
      suggested_units: 0,
      estimated_dollar_risk: 0,
      required_margin: 0,
      raw_ai: { market_condition: "Closed" },
      source: {
        data: "live",
        provider: "memory",
        analyst: "none",
        model: "none",
        last_candle_at: "2026-11-20T22:00:00.000Z",
        price: series.candles.at(-1)?.close,
      },
    });
    expect(analysis.warnings).toEqual([
      "The XAU/USD market closed at 2026-11-20 22:00 UTC and opens at 2026-11-22 23:00 UTC. " +
        NOTHING_CHARGED,
    ]);
    expect(candles).toEqual(series.candles);
    expect(signalProvenanceSchema.parse(provenance)).toEqual(provenance);
    expect(provenance).toMatchObject({ analyst: "none", calls: [], candles: { count: 300 } });
  });

  it.each<{ symbol: string; hours: TradingHours; closed: string; now: string; made: boolean }>([
    {
      symbol: "EUR/USD",
      hours: "forex",
      closed: "2026-11-20T21:00",
      now: "2026-11-20T21:59",
      made: true,
    },
    {
      symbol: "EUR/USD",
      hours: "forex",
      closed: "2026-11-20T22:00",
      now: "2026-11-20T22:00",
      made: false,
    },
    {
      symbol: "EUR/USD",
      hours: "forex",
      closed: "2026-11-20T22:00",
      now: "2026-11-22T22:05",
      made: true,
    },
    {
      symbol: "WTI",
      hours: "futures",
      closed: "2026-11-24T22:00",
      now: "2026-11-24T22:30",
      made: false,
    },
    {
      symbol: "WTI",
      hours: "futures",
      closed: "2026-11-24T22:00",
      now: "2026-11-24T23:05",
      made: true,
    },
    {
      symbol: "US30",
      hours: "us-stocks",
      closed: "2026-11-24T14:00",
      now: "2026-11-24T14:29",
      made: false,
    },
    {
      symbol: "US30",
      hours: "us-stocks",
      closed: "2026-11-23T21:00",
      now: "2026-11-24T14:30",
      made: true,
    },
    {
      symbol: "BTC/USDT",
      hours: "always",
      closed: "2026-11-21T12:00",
      now: "2026-11-21T12:30",
      made: true,
    },
  ])(
    "of $symbol with $hours hours and candles until $closed is made at $now: $made",
    async ({ symbol, hours, closed, now, made }) => {
      const { asked } = await ask(symbol, seriesUntil(closed, market(hours)), now);
      expect(asked).toBe(made ? 1 : 0);
    },
  );

  it("is made all the same from replayed data, which is no market's", async () => {
    const replayed = seriesUntil("2026-11-21T12:00", {
      data: "replay",
      notes: ["Demo data: made up."],
    });
    const { asked, analysis } = await ask("XAU/USD", replayed, "2026-11-21T12:30");
    expect(asked).toBe(1);
    expect(analysis.warnings[0]).toBe("Demo data: made up.");
  });
});

describe("a signal from a feed that stopped", () => {
  it("is a WAIT that says how old the data is, without asking the analyst", async () => {
    const series = seriesUntil("2026-11-19T09:00");
    const { analysis, asked } = await ask("BTC/USDT", series, "2026-11-21T12:30");
    expect(asked).toBe(0);
    expect(analysis.source.analyst).toBe("none");
    expect(analysis.warnings).toEqual([
      "The latest BTC/USDT data is 2 days 3 hours old: the last candle closed at 2026-11-19 09:00 UTC. " +
        `The market may be closed for a holiday. ${NOTHING_CHARGED}`,
    ]);
  });

  it.each([
    ["2026-11-21T11:59", true],
    ["2026-11-21T12:00", false],
  ])("at %s, with candles until 9:00, is made: %s", async (now, made) => {
    const { asked } = await ask("BTC/USDT", seriesUntil("2026-11-21T09:00"), now);
    expect(asked).toBe(made ? 1 : 0);
  });

  it("is made for as long as its provider may be late", async () => {
    const series = seriesUntil("2026-11-24T09:00", market("futures", 20));
    expect((await ask("XAU/USD", series, "2026-11-24T12:19")).asked).toBe(1);
    expect((await ask("XAU/USD", series, "2026-11-24T12:20")).asked).toBe(0);
  });
});
