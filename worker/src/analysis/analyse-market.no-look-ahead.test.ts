import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedCandles, orderRows, readRows } from "../market-data/candles.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { liveSeries, recordedCandles } from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

const candles = recordedCandles("BTC-USDT.1h").slice(0, 420);
const startedAt = candles[0]?.time ?? Number.NaN;
const order = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const request = { ...order, amount: 1_000, riskPercent: 1, leverage: 10 };

/** A provider that answers with all rows there are, also those of the open candle and of the future. */
const providerOf = (shown: readonly Candle[], now: number): MarketData => ({
  async candles({ timeframe, limit }) {
    const raw = shown.map(({ time, open, high, low, close, volume }) => {
      return [time, open, high, low, close, volume];
    });
    const rows = orderRows(readRows(raw), timeframe, now);
    return liveSeries(closedCandles(rows, { timeframe, count: limit, closedUntil: now }));
  },
});

const signalAt = (rows: readonly Candle[], now: number) =>
  generateSignal({
    request,
    marketData: providerOf(rows, now),
    analyst: rulesAnalyst,
    now: () => now,
    costs: DEFAULT_TRADING_COSTS.crypto,
    abort: new AbortController().signal,
  });

/** Anything that a provider could say of a candle. */
const otherCandle = fc
  .record({ base: fc.integer({ min: 1, max: 400_000 }), body: fc.nat(9_000), reach: fc.nat(9_000) })
  .map(({ base, body, reach }) => ({
    open: base,
    close: base + body,
    low: Math.max(base - reach, 0.5),
    high: base + body + reach,
    volume: reach,
  }));

describe("a signal", () => {
  it("is the same whatever the candles say that were open when it was made, or came later", async () => {
    const future = fc.record({
      hours: fc.integer({ min: 320, max: 410 }),
      msIntoHour: fc.integer({ min: 0, max: HOUR_MS - 1 }),
      known: fc.integer({ min: 0, max: 10 }),
      others: fc.array(otherCandle, { minLength: 10, maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(future, async ({ hours, msIntoHour, known, others }) => {
        const now = startedAt + hours * HOUR_MS + msIntoHour;
        const truth = await signalAt(candles, now);
        const changed = [
          ...candles.slice(0, hours),
          ...others.slice(0, known).map((other, index) => ({
            time: startedAt + (hours + index) * HOUR_MS,
            ...other,
          })),
        ];
        const { analysis, candles: used } = await signalAt(changed, now);
        expect(used).toEqual(truth.candles);
        expect(analysis).toEqual(truth.analysis);
        expect(used.at(-1)?.time).toBe(startedAt + (hours - 1) * HOUR_MS);
      }),
      { numRuns: 80 },
    );
  });

  it("changes with the last candle that was closed", async () => {
    const now = startedAt + 400 * HOUR_MS + 1;
    const truth = await signalAt(candles, now);
    const changed = candles.map((candle, index) =>
      index === 399 ? { ...candle, high: candle.high * 1.05, close: candle.high * 1.05 } : candle,
    );
    const other = await signalAt(changed, now);
    expect(other.provenance.candles.sha256).not.toBe(truth.provenance.candles.sha256);
    expect(other.analysis.raw_ai).not.toEqual(truth.analysis.raw_ai);
  });

  it("of one hour is the same at its start and at its end, but for how late it comes", async () => {
    const at = async (now: number) => (await signalAt(candles, now)).analysis;
    const opened = startedAt + 410 * HOUR_MS;
    const early = await at(opened);
    const late = await at(opened + HOUR_MS - 1);
    expect({ ...late, delivery_delay_ms: 0 }).toEqual({ ...early, delivery_delay_ms: 0 });
    expect(late.delivery_delay_ms).toBe(HOUR_MS - 1);
  });
});
