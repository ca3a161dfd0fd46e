import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { EventSource } from "../../economic-events/economic-calendar.ts";
import { NO_EVENTS } from "../../economic-events/economic-calendar.ts";
import { resampleTraded } from "../../market-data/candles.ts";
import type { DerivativesData } from "../../market-data/derivatives.ts";
import type { MarketData } from "../../market-data/market-data.ts";
import { adviceOf, liveSeries, recordedCandles, scriptedAnalyst } from "../../testing/fakes.ts";
import { generateSignal } from "../analyse-market.ts";
import { userText } from "../openai/prompt.ts";
import { createEvidence, type EventGuard } from "./evidence-pack.ts";

const hours = recordedCandles("BTC-USDT.1h");
const startedAt = hours[0]?.time ?? Number.NaN;
const closedAt = startedAt + 400 * HOUR_MS;
const now = closedAt + MINUTE_MS;
const market = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const request = {
  ...market,
  candleClosedAt: new Date(closedAt),
  amount: 1_000,
  riskPercent: 1,
  leverage: 10,
};

/** Answers with all closed candles that `shown` has, also those of the future. */
const providerOf = (shown: readonly Candle[], fails: readonly Timeframe[] = []): MarketData => ({
  async candles({ timeframe }) {
    if (fails.includes(timeframe)) throw new Error("no such candles today");
    const lengthMs = TIMEFRAME_MS[timeframe];
    const closedUntil = (shown.at(-1)?.time ?? 0) + HOUR_MS;
    return liveSeries(
      timeframe === "1h" ? [...shown] : resampleTraded(shown, { lengthMs, closedUntil }),
    );
  },
});

const known = (...events: EconomicEvent[]): EventSource => ({
  read: () => Promise.resolve({ events, readAt: new Date(closedAt - HOUR_MS) }),
});
const eventAt = (time: number, fields: Partial<EconomicEvent> = {}): EconomicEvent => ({
  title: "Core CPI m/m",
  currency: "USD",
  at: new Date(time).toISOString(),
  impact: "High",
  ...fields,
});

interface Asked {
  marketData?: MarketData;
  derivatives?: DerivativesData;
  events?: EventSource;
  guard?: EventGuard;
}

async function signalWith({ events = NO_EVENTS, guard = "warn", ...given }: Asked = {}) {
  const { marketData = providerOf(hours.slice(0, 400)), derivatives } = given;
  const price = hours[399]?.close ?? Number.NaN;
  const levels = { entry: price, stop_loss: price * 0.98, take_profit: price * 1.04 };
  const analyst = scriptedAnalyst([adviceOf({ final_signal: "BUY", ...levels, hold_candles: 12 })]);
  const made = await generateSignal({
    request,
    marketData,
    analyst,
    costs: DEFAULT_TRADING_COSTS.crypto,
    evidence: createEvidence({ marketData, derivatives, events, guard }),
    now: () => now,
    abort: new AbortController().signal,
  });
  return { ...made, asked: analyst.asked, items: made.provenance.evidence ?? [] };
}

describe("the evidence of an analysis", () => {
  it("is what the model is given, in its order", async () => {
    const { items, asked } = await signalWith({ events: known(eventAt(closedAt + 5 * HOUR_MS)) });
    expect(items.map(({ key }) => key)).toEqual([
      "market",
      "candles",
      "trading_costs",
      "candles_4h",
      "candles_1d",
      "previous_day",
      "previous_week",
      "market_close",
      "funding_rate",
      "open_interest",
      "events",
    ]);
    const [question] = asked;
    if (!question) throw new Error("the model was not asked");
    const prompt = userText(question);
    const places = items.map(({ text }) => prompt.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("has the high, low and close of the day and the week before", async () => {
    const { items } = await signalWith();
    const dayStart = Math.floor(closedAt / (24 * HOUR_MS)) * 24 * HOUR_MS - 24 * HOUR_MS;
    const day = hours.filter(({ time }) => time >= dayStart && time < dayStart + 24 * HOUR_MS);
    const text = items.find(({ key }) => key === "previous_day")?.text;
    expect(text).toContain(`high ${Math.max(...day.map(({ high }) => high)).toFixed(2)}`);
    expect(text).toContain(`low ${Math.min(...day.map(({ low }) => low)).toFixed(2)}`);
    expect(text).toContain(`close ${day.at(-1)?.close.toFixed(2)}`);
  });

  it("takes at most 1,200 tokens more than the candles and costs", async () => {
    const events = Array.from({ length: 30 }, (_, index) =>
      eventAt(closedAt + index * 40 * MINUTE_MS, { title: "Prelim UoM Inflation Expectations" }),
    );
    const at = { knownAt: closedAt - HOUR_MS, exchange: "binance" };
    const value = { value: 123_456_789, hours: 8, ...at };
    const derivatives = { fundingRate: async () => value, openInterest: async () => value };
    const { items } = await signalWith({ events: known(...events), derivatives });
    const further = items
      .slice(3)
      .map(({ text }) => text)
      .join("\n");
    // Digits are about 2 characters a token.
    expect(further.length / 2).toBeLessThan(1_200);
  });

  it("says what is not available, and goes without it", async () => {
    const marketData = providerOf(hours.slice(0, 400), ["4h", "1d"]);
    const derivatives = {
      fundingRate: () => Promise.reject(new Error("refused")),
      openInterest: () => Promise.resolve(null),
    };
    const { analysis, items } = await signalWith({ marketData, derivatives });
    expect(analysis.final_signal).toBe("BUY");
    expect(
      items.filter(({ text }) => text.endsWith("not available")).map(({ text }) => text),
    ).toEqual([
      "Next higher timeframe: not available",
      "Second higher timeframe: not available",
      "Previous day: not available",
      "Previous week: not available",
      "Funding rate: not available",
      "Open interest: not available",
      "Scheduled events: not available",
    ]);
  });

  it("does not wait for a source that never answers, and asks it once for a candle", async () => {
    vi.useFakeTimers();
    try {
      const never = new Promise<never>(() => undefined);
      const fundingRate = vi.fn(() => never);
      const marketData = providerOf(hours.slice(0, 400));
      const derivatives = { fundingRate, openInterest: () => never };
      const evidence = createEvidence({
        marketData,
        derivatives,
        events: { read: () => never },
        guard: "warn",
      });
      const levels = { entry: 1, stop_loss: 1, take_profit: 1 };
      const signal = () =>
        generateSignal({
          request,
          marketData,
          analyst: scriptedAnalyst([adviceOf(levels), adviceOf(levels)]),
          costs: DEFAULT_TRADING_COSTS.crypto,
          evidence,
          now: () => now,
          abort: new AbortController().signal,
        });
      const both = Promise.all([signal(), signal()]);
      await vi.advanceTimersByTimeAsync(3_100);
      await both;
      await signal();
      expect(fundingRate).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is the same whatever the future holds", async () => {
    const truth = await signalWith({ events: known(eventAt(closedAt + 3 * HOUR_MS)) });
    const other = fc.record({ base: fc.integer({ min: 1, max: 400_000 }), reach: fc.nat(9_000) });
    await fc.assert(
      fc.asyncProperty(fc.array(other, { minLength: 1, maxLength: 40 }), async (others) => {
        const future = others.map(({ base, reach }, index) => ({
          time: closedAt + index * HOUR_MS,
          open: base,
          close: base,
          low: Math.max(base - reach, 0.5),
          high: base + reach,
          volume: reach,
        }));
        const marketData = providerOf([...hours.slice(0, 400), ...future]);
        const changed = await signalWith({
          marketData,
          events: known(eventAt(closedAt + 3 * HOUR_MS)),
        });
        expect(changed.items).toEqual(truth.items);
        for (const { known_at } of changed.items) {
          expect(Date.parse(known_at)).toBeLessThanOrEqual(closedAt);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("has nothing that became known after the close", async () => {
    const late = { value: 0.01, hours: 8, knownAt: closedAt + 1, exchange: "binance" };
    const derivatives = { fundingRate: async () => late, openInterest: async () => late };
    const { items } = await signalWith({ derivatives });
    expect(items.find(({ key }) => key === "funding_rate")?.text).toBe(
      "Funding rate: not available",
    );
  });
});

describe("near a High event", () => {
  const inTenMinutes = eventAt(now + 10 * MINUTE_MS);
  const warning = `Event: Core CPI m/m (USD) at ${inTenMinutes.at.slice(11, 16)} UTC`;
  const eventWarningsOf = (warnings: readonly string[]) =>
    warnings.filter((text) => text.startsWith("Event: "));

  it("a signal has one warning", async () => {
    const { analysis } = await signalWith({ events: known(inTenMinutes) });
    expect(analysis.final_signal).toBe("BUY");
    expect(eventWarningsOf(analysis.warnings)).toEqual([expect.stringContaining(warning)]);
  });

  it("a signal has one warning for several events", async () => {
    const speech = eventAt(now - 5 * MINUTE_MS, { title: "FOMC Press Conference" });
    const { analysis } = await signalWith({ events: known(speech, inTenMinutes) });
    expect(eventWarningsOf(analysis.warnings)).toHaveLength(1);
    expect(analysis.warnings.join()).toContain("FOMC Press Conference (USD)");
  });

  it("with the guard `wait`, a signal is a WAIT, and the model is not asked", async () => {
    const { analysis, asked } = await signalWith({ events: known(inTenMinutes), guard: "wait" });
    expect(analysis.final_signal).toBe("WAIT");
    expect(eventWarningsOf(analysis.warnings)).toEqual([expect.stringContaining(warning)]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["with the guard off", inTenMinutes, "off"],
    ["of another currency", { ...inTenMinutes, currency: "JPY" }, "wait"],
    ["of less impact", { ...inTenMinutes, impact: "Medium" }, "wait"],
  ] as const)("nothing happens %s", async (_, event, guard) => {
    const { analysis } = await signalWith({ events: known(event), guard });
    expect(analysis.final_signal).toBe("BUY");
    expect(eventWarningsOf(analysis.warnings)).toEqual([]);
  });

  it("before its window, the entry ends when the window starts", async () => {
    const later = eventAt(now + 90 * MINUTE_MS);
    const { analysis } = await signalWith({ events: known(later) });
    expect(analysis.valid_until).toBe(new Date(now + 60 * MINUTE_MS).toISOString());
    expect(eventWarningsOf(analysis.warnings)).toEqual([]);
    const { analysis: unguarded } = await signalWith({ events: known(later), guard: "off" });
    expect(unguarded.valid_until).toBe(new Date(closedAt + 4 * HOUR_MS).toISOString());
  });
});
