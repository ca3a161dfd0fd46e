import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import {
  type FakeOpenAi,
  type OpenAiBehaviour,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import { type TokenUsage, totalUsage } from "./analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { createOpenAiAnalyst, OPENAI_ANALYST_VERSION } from "./openai/openai-analyst.ts";

const candles = recordedCandles("BTC-USDT.1h").slice(0, 300);
const stake = { amount: 1_000, riskPercent: 1, leverage: 10 };
const request = { symbol: "BTC/USDT", timeframe: "1h", limit: 50, ...stake } as const;
const { price, lastCandleAt } = buildMarketBrief({ ...request, candles });
const marketData = memoryMarketData({ [request.symbol]: liveSeries(candles) });

let openai: FakeOpenAi;
beforeAll(async () => {
  openai = await startFakeOpenAi();
});
afterAll(() => openai.close());
beforeEach(() => openai.reset());

async function makeSignal(samples: number) {
  const analyst = createOpenAiAnalyst({
    apiKey: "sk-test",
    baseUrl: openai.baseUrl,
    model: "test-model",
    callTimeoutMs: 30_000,
    maxOutputTokens: 4_000,
    price: { promptUsd: 1, completionUsd: 4 },
    samples,
  });
  const spent: TokenUsage[] = [];
  const made = await generateSignal({
    request,
    marketData,
    analyst,
    now: () => lastCandleAt + 60_000,
    costs: DEFAULT_TRADING_COSTS.crypto,
    abort: new AbortController().signal,
    onUsage: (usage) => spent.push(usage),
  });
  return { ...made, spent: totalUsage(spent) };
}

const usage = { promptTokens: 1_000, completionTokens: 100 };

/** Levels in percent of the price from the entry. */
const buy = (confidence: number, stop = 1): OpenAiBehaviour => ({
  kind: "advice",
  usage,
  advice: {
    final_signal: "BUY",
    confidence,
    entry: price,
    stop_loss: price * (1 - stop / 100),
    take_profit: price * (1 + (2 * stop) / 100),
    rationale: `A stop of ${stop}%.`,
  },
});
const sell = (confidence: number): OpenAiBehaviour => ({
  kind: "advice",
  usage,
  advice: {
    final_signal: "SELL",
    confidence,
    entry: price,
    stop_loss: price * 1.01,
    take_profit: price * 0.98,
  },
});
const wait = (confidence: number): OpenAiBehaviour => ({
  kind: "advice",
  usage,
  advice: {
    final_signal: "WAIT",
    confidence,
    entry: null,
    stop_loss: null,
    take_profit: null,
    hold_candles: null,
  },
});
const refusal: OpenAiBehaviour = { kind: "refusal", usage };
const upsideDown: OpenAiBehaviour = {
  kind: "advice",
  usage,
  advice: { final_signal: "BUY", stop_loss: price * 1.01, take_profit: price * 0.99 },
};

const answer = (...answers: OpenAiBehaviour[]) =>
  openai.behave((_, index) => answers[index] ?? refusal);

describe("an analysis of several samples", () => {
  it("has the direction of most, the levels of the one in the middle and the mean of the log-odds", async () => {
    answer(buy(60, 1), buy(90, 3), buy(70, 2));
    const { analysis, provenance, spent } = await makeSignal(3);
    expect(openai.chats).toHaveLength(3);
    expect(analysis.final_signal).toBe("BUY");
    expect(analysis.stop_loss).toBeCloseTo(price * 0.98, 0);
    expect(analysis.take_profit).toBeCloseTo(price * 1.04, 0);
    const logOdds = [0.6, 0.9, 0.7].map((chance) => Math.log(chance / (1 - chance)));
    const mean = logOdds.reduce((sum, each) => sum + each, 0) / 3;
    expect(analysis.confidence).toBeCloseTo(100 / (1 + Math.exp(-mean)), 0);
    expect(analysis.raw_ai).toMatchObject({
      rationale: "A stop of 2%.",
      confidence: analysis.confidence,
    });
    expect(analysis.source.analyst_version).toBe(`${OPENAI_ANALYST_VERSION}x3`);
    expect(provenance.calls).toHaveLength(3);
    expect(provenance.samples).toEqual({
      asked: 3,
      answered: 3,
      failures: [],
      votes: { BUY: 3, SELL: 0, WAIT: 0 },
    });
    const cost = 3 * ((1_000 * 1 + 100 * 4) / 1_000_000);
    expect(provenance.usage).toEqual({
      promptTokens: 3_000,
      completionTokens: 300,
      costUsd: expect.closeTo(cost, 9),
    });
    expect(spent).toEqual(provenance.usage);
  });

  it.each<{ of: string; answers: OpenAiBehaviour[]; signal: string; confidence: number }>([
    { of: "2 of 3", answers: [buy(70), sell(95), buy(70)], signal: "BUY", confidence: 70 },
    {
      of: "2 of 3 that wait",
      answers: [wait(64), buy(80), wait(64)],
      signal: "WAIT",
      confidence: 64,
    },
    { of: "1 of 2", answers: [buy(70), sell(70)], signal: "WAIT", confidence: 0 },
    { of: "1 each", answers: [buy(70), sell(70), wait(70)], signal: "WAIT", confidence: 0 },
    {
      of: "2 of 5",
      answers: [buy(70), buy(70), sell(60), wait(50), wait(50)],
      signal: "WAIT",
      confidence: 0,
    },
    {
      of: "the rest, if one refuses",
      answers: [buy(72), refusal, buy(72)],
      signal: "BUY",
      confidence: 72,
    },
    {
      of: "the rest, if one fails",
      answers: [{ kind: "status", status: 500 }, sell(72), sell(72)],
      signal: "SELL",
      confidence: 72,
    },
    {
      of: "the rest, if one breaks the rules",
      answers: [upsideDown, sell(66), sell(66)],
      signal: "SELL",
      confidence: 66,
    },
    {
      of: "the only one that answers",
      answers: [refusal, refusal, buy(55)],
      signal: "BUY",
      confidence: 55,
    },
  ])("is decided by $of: $signal", async ({ answers, signal, confidence }) => {
    answer(...answers);
    const { analysis, provenance } = await makeSignal(answers.length);
    expect(analysis).toMatchObject({ final_signal: signal, confidence });
    expect(openai.chats).toHaveLength(answers.length);
    const { answered = 0, failures = [] } = provenance.samples ?? {};
    expect(answered + failures.length).toBe(answers.length);
  });

  it("says why it is a WAIT where the samples disagree", async () => {
    answer(buy(70), sell(70), wait(70));
    const { analysis } = await makeSignal(3);
    expect(analysis.warnings).toContain(
      "The 3 answers of the model disagree (1 BUY, 1 SELL, 1 WAIT), so this is a WAIT.",
    );
  });

  it("is corrected once if no sample keeps the rules", async () => {
    answer(upsideDown, upsideDown, buy(61));
    const { analysis, provenance } = await makeSignal(2);
    expect(analysis).toMatchObject({ final_signal: "BUY", confidence: 61 });
    expect(provenance.calls.map(({ corrections }) => corrections.length > 0)).toEqual([
      false,
      false,
      true,
    ]);
    expect(provenance.usage?.promptTokens).toBe(3_000);
  });

  it("fails as one sample does if all are refused", async () => {
    answer(refusal, refusal);
    await expect(makeSignal(2)).rejects.toThrow("declined");
    expect(openai.chats).toHaveLength(2);
  });

  it("is asked for again if all fail in a way that may pass", async () => {
    const down: OpenAiBehaviour = { kind: "status", status: 503 };
    answer(down, down, buy(58));
    const { analysis } = await makeSignal(2);
    expect(analysis).toMatchObject({ final_signal: "BUY", confidence: 58 });
  });

  it("is one call with the version as before, if one sample is wanted", async () => {
    answer(buy(70));
    const { analysis, provenance } = await makeSignal(1);
    expect(openai.chats).toHaveLength(1);
    expect(analysis.source.analyst_version).toBe(OPENAI_ANALYST_VERSION);
    expect(provenance.samples).toBeUndefined();
  });
});
