import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import {
  type FakeOpenAi,
  type OpenAiBehaviour,
  promptTokensOf,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { ModelRefusalError } from "./model-refusal.ts";
import { createOpenAiAnalyst } from "./openai/openai-analyst.ts";

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

const costs = DEFAULT_TRADING_COSTS.crypto;

/** A whole signal through the real client. */
function makeSignal(chartImage?: string) {
  const analyst = createOpenAiAnalyst({
    apiKey: "sk-test",
    baseUrl: openai.baseUrl,
    model: "test-model",
    callTimeoutMs: 30_000,
    maxOutputTokens: 4_000,
    price: { promptUsd: 1, completionUsd: 4 },
  });
  return generateSignal({
    request,
    chartImage,
    marketData,
    analyst,
    now: () => lastCandleAt + 60_000,
    costs,
    abort: new AbortController().signal,
  });
}

const upsideDown = { stop_loss: price * 1.01, take_profit: price * 0.99 };

/** What each kind of answer ends as: the signal or the failure, and how often the model was asked. */
const ANSWERS: { answer: string; behaviour: OpenAiBehaviour; ends: string; calls: number }[] = [
  { answer: "sound", behaviour: { kind: "advice" }, ends: "BUY", calls: 1 },
  { answer: "fenced", behaviour: { kind: "advice", fenced: true }, ends: "BUY", calls: 1 },
  {
    answer: "contradictory",
    behaviour: { kind: "advice", advice: upsideDown },
    ends: "WAIT",
    calls: 2,
  },
  {
    answer: "sure of 900",
    behaviour: { kind: "advice", advice: { confidence: 900 } },
    ends: "WAIT",
    calls: 2,
  },
  {
    answer: "a BUY without levels",
    behaviour: { kind: "advice", advice: { entry: null } },
    ends: "WAIT",
    calls: 2,
  },
  {
    answer: "a WAIT with levels",
    behaviour: { kind: "advice", advice: { final_signal: "WAIT" } },
    ends: "WAIT",
    calls: 1,
  },
  {
    answer: "truncated",
    behaviour: { kind: "content", content: '{"final_signal":"BUY","conf', finishReason: "length" },
    ends: "WAIT",
    calls: 2,
  },
  { answer: "empty", behaviour: { kind: "content", content: "" }, ends: "nonsense", calls: 2 },
  { answer: "prose", behaviour: { kind: "content", content: "Buy!" }, ends: "nonsense", calls: 2 },
  { answer: "HTML", behaviour: { kind: "html" }, ends: "refused", calls: 3 },
  { answer: "without choices", behaviour: { kind: "no-choices" }, ends: "refused", calls: 3 },
  { answer: "a refusal", behaviour: { kind: "refusal" }, ends: "refused", calls: 1 },
  {
    answer: "filtered",
    behaviour: { kind: "content", content: "", finishReason: "content_filter" },
    ends: "refused",
    calls: 1,
  },
  { answer: "late", behaviour: { kind: "advice", delayMs: 5_000 }, ends: "timeout", calls: 3 },
  { answer: "stalled", behaviour: { kind: "stalled-body" }, ends: "timeout", calls: 3 },
  {
    answer: "a bad key (401)",
    behaviour: { kind: "status", status: 401 },
    ends: "refused",
    calls: 1,
  },
  {
    answer: "no such model (404)",
    behaviour: { kind: "status", status: 404 },
    ends: "refused",
    calls: 1,
  },
  {
    answer: "too many (429)",
    behaviour: { kind: "status", status: 429 },
    ends: "rate-limited",
    calls: 3,
  },
  {
    answer: "an error (500)",
    behaviour: { kind: "status", status: 500 },
    ends: "refused",
    calls: 3,
  },
];

describe("an answer of the model", () => {
  it.concurrent.each(ANSWERS)(
    "that is $answer ends as $ends after $calls calls",
    async ({ behaviour, ends, calls }) => {
      const own = await startFakeOpenAi();
      try {
        own.behave(behaviour);
        const analyst = createOpenAiAnalyst({
          apiKey: "sk-test",
          baseUrl: own.baseUrl,
          model: "test-model",
          callTimeoutMs: ends === "timeout" ? 500 : 30_000,
          maxOutputTokens: 4_000,
          price: null,
        });
        const now = () => lastCandleAt + 60_000;
        const abort = new AbortController().signal;
        const end = await generateSignal({ request, marketData, analyst, costs, now, abort }).then(
          ({ analysis }) => analysis.final_signal,
          (error: unknown) => error,
        );
        if (typeof end === "string") expect(end).toBe(ends);
        else expect(end).toMatchObject({ name: "ProviderError", failure: ends });
        expect(own.chats).toHaveLength(calls);
      } finally {
        await own.close();
      }
    },
  );

  it("is asked for again with the reasons, and then counts", async () => {
    openai.behave((_, index) => ({ kind: "advice", ...(index === 0 && { advice: upsideDown }) }));
    const { analysis, provenance } = await makeSignal();
    expect(analysis).toMatchObject({ final_signal: "BUY" });
    expect(openai.chats[1]?.text).toContain("must be below its entry");
    expect(provenance.calls).toHaveLength(2);
  });

  it("that cannot be read is asked for once more, and then counts", async () => {
    const prose = { kind: "content", content: "Buy!" } as const;
    openai.behave((_, index) => (index === 0 ? prose : { kind: "advice" }));
    const { analysis, provenance } = await makeSignal();
    expect(analysis).toMatchObject({ final_signal: "BUY", warnings: [] });
    expect(openai.chats[1]?.text).toContain(
      "- The answer contains no JSON object. It must be one JSON object that follows the schema.",
    );
    expect(openai.chats[1]?.body.messages[2]).toEqual({ role: "assistant", content: "Buy!" });
    expect(openai.chats).toHaveLength(2);
    expect(provenance.calls).toMatchObject([
      { rawReply: "Buy!", rejectedFor: [expect.stringContaining("no JSON object")] },
      { rejectedFor: [] },
    ]);
  });

  it("that was cut off is asked for once more, shorter, and then counts", async () => {
    const cutOff = { kind: "content", content: '{"final', finishReason: "length" } as const;
    openai.behave((_, index) => (index === 0 ? cutOff : { kind: "advice" }));
    const { analysis, provenance } = await makeSignal();
    expect(analysis).toMatchObject({ final_signal: "BUY", warnings: [] });
    expect(openai.chats[1]?.text).toContain("cut off at 4000 tokens; it must be shorter");
    expect(provenance.calls).toMatchObject([
      { rawReply: '{"final', cutOff: true, rejectedFor: [expect.stringContaining("cut off")] },
      { rejectedFor: [] },
    ]);
    expect(provenance.calls[1]).not.toHaveProperty("cutOff");
  });

  it("that is cut off twice is a WAIT that says so, without a third call", async () => {
    openai.behave({ kind: "content", content: '{"final', finishReason: "length" });
    const { analysis } = await makeSignal();
    expect(openai.chats).toHaveLength(2);
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      suggested_units: 0,
      raw_ai: { confidence: 0, rationale: "The analyst gave no complete answer." },
    });
    expect(analysis.warnings).toEqual([
      "The analyst's answer was rejected twice, so this is a WAIT. " +
        "The answer was cut off at 4000 tokens; it must be shorter.",
    ]);
  });

  it("that is cut off twice gives a chart image back, though it was read", async () => {
    openai.behave(({ images }) =>
      images.length > 0
        ? { kind: "advice" }
        : { kind: "content", content: '{"final', finishReason: "length" },
    );
    const { isImageUnused } = await makeSignal("data:image/png;base64,AAAA");
    expect(isImageUnused).toBe(true);
  });

  it("to a correction that is a refusal ends the signal at once", async () => {
    openai.behave((_, index) =>
      index === 0 ? { kind: "advice", advice: upsideDown } : { kind: "refusal" },
    );
    await expect(makeSignal()).rejects.toBeInstanceOf(ModelRefusalError);
    expect(openai.chats).toHaveLength(2);
  });

  it("that comes after a failed call is paid for with it", async () => {
    openai.behave((_, index) =>
      index === 0 ? { kind: "content", content: "{}" } : { kind: "advice" },
    );
    const { provenance } = await makeSignal();
    expect(provenance).toMatchObject({ analystVersion: expect.stringMatching(/^openai\/\d/) });
    const promptTokens = openai.chats.reduce((sum, chat) => sum + promptTokensOf(chat.text), 0);
    expect(openai.chats).toHaveLength(2);
    expect(provenance.usage?.promptTokens).toBe(promptTokens);
    const { completionTokens = 0, costUsd } = provenance.usage ?? {};
    expect(costUsd).toBeCloseTo((promptTokens + 4 * completionTokens) / 1e6, 12);
  });

  it("that cites a number of its own is shown with a warning", async () => {
    openai.behave({ kind: "advice", advice: { rationale: "RSI(14) is 12.3.", key_evidence: [] } });
    const { analysis } = await makeSignal();
    expect(analysis.warnings).toEqual([
      "The rationale cites 12.3, which is not in the market data.",
    ]);
  });

  it("to an image of another market ends as a WAIT with one warning, whatever the image says", async () => {
    openai.behave({
      kind: "advice",
      advice: { chart_symbol: "ETHUSDT", chart_last_price: 3_812.5, chart_timeframe: "1h" },
    });
    const { analysis } = await makeSignal("data:image/png;base64,AAAA");
    expect(analysis.warnings).toEqual([
      'The chart image seems to show "ETHUSDT", not BTC/USDT, so this is a WAIT. Its credit was returned.',
    ]);
    expect(analysis.final_signal).toBe("WAIT");
  });
});
