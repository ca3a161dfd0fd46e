import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProviderError } from "../market-data/market-data.ts";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import type { Advice, Analyst } from "./analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { readAdvice } from "./openai/read-reply.ts";

/** As many as say something of the market; more would only cost time in many signals. */
const candles = recordedCandles("BTC-USDT.1h").slice(0, 40);
const stake = { amount: 1_000, riskPercent: 1, leverage: 10 };
const request = { symbol: "BTC/USDT", timeframe: "1h", limit: 10, ...stake } as const;
const { price, indicators, lastCandleAt } = buildMarketBrief({ ...request, candles });
const atr = indicators.atr14 ?? Number.NaN;
const marketData = memoryMarketData({ [request.symbol]: liveSeries(candles) });

/** Contract §4, written a second time: what is wrong with a signal that was made at `price` and `atr`. */
function faultsOf(analysis: Analysis): string[] {
  const isPercent = analysis.confidence >= 0 && analysis.confidence <= 100;
  return [...(isPercent ? [] : ["confidence"]), ...tradeFaults(analysis)];
}

function tradeFaults({ final_signal: signal, ...figures }: Analysis): string[] {
  const { entry, stop_loss: stop, take_profit: target } = figures;
  const { suggested_units: units, estimated_dollar_risk: risk, required_margin: margin } = figures;
  if (signal === "WAIT") {
    const nothing = [entry, stop, target, units, risk, margin].filter((figure) => figure);
    return nothing.length === 0 && entry === null ? [] : ["WAIT"];
  }
  if (entry === null || stop === null || target === null) return ["levels"];
  const hold = figures.hold_candles ?? Number.NaN;
  const side = signal === "BUY" ? 1 : -1;
  const lost = (entry - stop) * side;
  const won = (target - entry) * side;
  const near = (a: number, b: number) => Math.abs(a - b) < 1e-6;
  const rules: Record<string, boolean> = {
    positive: Math.min(entry, stop, target) > 0,
    order: Math.min(lost, won) > 0,
    reward: won >= lost - 1e-6,
    stop: lost >= 0.25 * atr - 1e-6 && lost <= 10 * atr + 1e-6,
    entry: Math.abs(entry - price) <= atr + 1e-6,
    tick: [entry, stop, target].every((level) => Number(level.toFixed(2)) === level),
    risk: risk > 0 && risk <= 10 + 1e-9 && near(units * lost, risk),
    costs: 0.0011 * entry <= 0.15 * lost + 1e-6,
    hold: Number.isInteger(hold) && hold >= 1 && hold <= 480,
    margin: margin <= 1_000 + 1e-6 && near((units * entry) / 10, margin),
  };
  return Object.keys(rules).filter((name) => rules[name] === false);
}

/** Asks an analyst whose every answer is read from text, as a model's is; `replies` in order, the last again. */
function signalFrom(replies: readonly string[]) {
  let asked = 0;
  const analyst: Analyst = {
    name: "openai",
    version: "openai/any",
    async advise() {
      const rawReply = replies[Math.min(asked, replies.length - 1)] ?? "";
      asked += 1;
      return { advice: readAdvice(rawReply), model: "any", prompt: "", rawReply };
    },
  };
  return makeSignal(analyst);
}

const makeSignal = (analyst: Analyst) =>
  generateSignal({
    request,
    marketData,
    analyst,
    now: () => lastCandleAt + 1_000,
    costs: DEFAULT_TRADING_COSTS.crypto,
    abort: new AbortController().signal,
  });

/** Near the bounds, far from them, and no number at all. */
const level = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.double({ min: -11, max: 11, noNaN: true }).map((at) => price + at * atr),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(price, price - 0.25 * atr, price + 10 * atr, 0, -1, 1e300),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);
const anyConfidence = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 100 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.8, -3, 100.0001, 900, -0, 1e308) },
);
const words = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("", "Up it goes.", "\u0000\u202e", "x".repeat(300)) },
  { weight: 1, arbitrary: fc.constantFrom("RSI is 71.2.", "Buy at $113k!") },
);
const anyAdvice = fc.record({
  final_signal: fc.constantFrom("BUY", "SELL", "WAIT"),
  confidence: anyConfidence,
  entry: fc.oneof(
    level,
    fc.double({ min: -1.2, max: 1.2, noNaN: true }).map((at) => price + at * atr),
  ),
  stop_loss: level,
  take_profit: level,
  rationale: words,
  key_evidence: fc.array(words, { maxLength: 3 }),
  counter_evidence: fc.array(words, { maxLength: 3 }),
  market_condition: words,
  what_to_watch_for: fc.array(words, { maxLength: 2 }),
  suggested_hold: words,
  trade_duration_text: words,
  hold_candles: fc.oneof(fc.constant(null), fc.double(), fc.integer({ min: -3, max: 600 })),
});

/** Sound trades, so that not all of them are refused. */
const soundAdvice = fc
  .record({
    advice: anyAdvice,
    side: fc.constantFrom(1, -1),
    stop: fc.double({ min: 0.2, max: 11, noNaN: true }),
    reward: fc.double({ min: 0.9, max: 4, noNaN: true }),
    off: fc.double({ min: -1.1, max: 1.1, noNaN: true }),
  })
  .map(({ advice, side, stop, reward, off }) => {
    const entry = price + off * atr;
    return {
      ...advice,
      final_signal: side === 1 ? "BUY" : "SELL",
      confidence: 61,
      entry,
      stop_loss: entry - side * stop * atr,
      take_profit: entry + side * stop * reward * atr,
    };
  });

describe("whatever an analyst answers", () => {
  it("never makes an invalid signal", async () => {
    const made = { BUY: 0, SELL: 0, WAIT: 0 };
    const replies = fc.tuple(fc.oneof(anyAdvice, soundAdvice), anyAdvice);
    await fc.assert(
      fc.asyncProperty(replies, async (advices) => {
        const { analysis } = await signalFrom(advices.map((advice) => JSON.stringify(advice)));
        expect(faultsOf(analysis)).toEqual([]);
        made[analysis.final_signal] += 1;
      }),
      randomCases(5_000),
    );
    // At least 35 each of 500, but in the suite of all cases the answers are random.
    expect(Math.min(...Object.values(made))).toBeGreaterThan(20);
  }, 60_000);

  it("never makes an invalid signal from numbers that JSON does not know", async () => {
    const noNumber = fc.constantFrom(
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    );
    const broken = fc
      .tuple(
        soundAdvice,
        fc.constantFrom("confidence", "entry", "stop_loss", "take_profit"),
        noNumber,
      )
      .map(([advice, field, value]) => ({ ...advice, [field]: value }) satisfies object);
    await fc.assert(
      fc.asyncProperty(broken, async (drawn) => {
        const advice: Advice = {
          ...drawn,
          final_signal: drawn.final_signal === "BUY" ? "BUY" : "SELL",
        };
        const reply = { advice, model: "any", prompt: "", rawReply: "" };
        const { analysis } = await makeSignal({
          name: "openai",
          version: "openai/any",
          advise: async () => reply,
        });
        expect(faultsOf(analysis)).toEqual([]);
        expect(analysis.final_signal).toBe("WAIT");
      }),
      randomCases(1_000),
    );
  });

  it("is either whole advice or no answer at all", () => {
    const json = fc.json({ maxDepth: 3 });
    const cutAdvice = fc
      .tuple(anyAdvice, fc.nat(600))
      .map(([advice, length]) => JSON.stringify(advice).slice(0, length));
    const bentAdvice = fc
      .tuple(anyAdvice, fc.constantFrom("entry", "confidence", "rationale"), fc.jsonValue())
      .map(([advice, field, value]) => JSON.stringify({ ...advice, [field]: value }));
    fc.assert(
      fc.property(fc.oneof(fc.string(), json, cutAdvice, bentAdvice), (reply) => {
        try {
          const advice = readAdvice(reply);
          expect(["BUY", "SELL", "WAIT"]).toContain(advice.final_signal);
          expect(Number.isFinite(advice.confidence)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ProviderError);
        }
      }),
      randomCases(3_000),
    );
  });

  it("is checked by a function that finds every violation", async () => {
    const reply = {
      final_signal: "BUY",
      confidence: 61,
      entry: price,
      stop_loss: price - 2 * atr,
      take_profit: price + 4 * atr,
    };
    const rest = {
      rationale: "",
      key_evidence: [],
      counter_evidence: [],
      market_condition: "",
      what_to_watch_for: [],
      suggested_hold: "",
      trade_duration_text: "",
    };
    const { analysis } = await signalFrom([JSON.stringify({ ...reply, ...rest })]);
    expect(analysis.final_signal).toBe("BUY");
    expect(faultsOf({ ...analysis, confidence: 101 })).toEqual(["confidence"]);
    expect(faultsOf({ ...analysis, stop_loss: price + 1 })).toContain("order");
    expect(faultsOf({ ...analysis, take_profit: price + 0.5 * atr })).toContain("reward");
    expect(faultsOf({ ...analysis, entry: price + 1.5 * atr })).toContain("entry");
    expect(faultsOf({ ...analysis, final_signal: "WAIT" })).toEqual(["WAIT"]);
    expect(faultsOf({ ...analysis, entry: null })).toEqual(["levels"]);
    expect(faultsOf({ ...analysis, hold_candles: null })).toEqual(["hold"]);
    expect(faultsOf({ ...analysis, stop_loss: price * 0.993 })).toContain("costs");
  });
});
