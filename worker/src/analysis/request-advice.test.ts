import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProviderError, type ProviderFailure } from "../market-data/market-data.ts";
import { adviceOf, candlesFromCloses, scriptedAnalyst } from "../testing/fakes.ts";
import type { Analyst, TokenUsage } from "./analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { askAnalyst } from "./request-advice.ts";

const costs = DEFAULT_TRADING_COSTS.crypto;
const brief = buildMarketBrief({
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 10,
  candles: candlesFromCloses([100, 101]),
});
const failure = (kind: ProviderFailure) =>
  new ProviderError({ provider: "openai", failure: kind, message: "of no use" });
const questionUntil = (abort: AbortSignal) => ({ brief, costs, corrections: [], abort });
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("asking an analyst", () => {
  it.each(["unreachable", "rate-limited", "refused", "timeout"] as const)(
    "is tried again after a pause when its service is %s",
    async (kind) => {
      const analyst = scriptedAnalyst([failure(kind), failure(kind), adviceOf({ confidence: 61 })]);
      const answer = askAnalyst(analyst, questionUntil(never));
      await vi.advanceTimersByTimeAsync(499);
      expect(analyst.asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(analyst.asked).toHaveLength(2);
      await vi.advanceTimersByTimeAsync(1_000);
      await expect(answer).resolves.toMatchObject({
        tries: 3,
        reply: { advice: { confidence: 61 } },
      });
    },
  );

  it("ends after three calls with the last failure", async () => {
    const last = failure("rate-limited");
    const analyst = scriptedAnalyst([failure("timeout"), failure("refused"), last]);
    const refused = expect(askAnalyst(analyst, questionUntil(never))).rejects.toBe(last);
    await vi.runAllTimersAsync();
    await refused;
    expect(analyst.asked).toHaveLength(3);
  });

  it.each([
    failure("unknown-symbol"),
    failure("nonsense"),
    new Error("a bug"),
    new TypeError("another bug"),
  ])("is not tried again after what another try cannot fix: %s", async (error) => {
    const analyst = scriptedAnalyst([error]);
    await expect(askAnalyst(analyst, questionUntil(never))).rejects.toBe(error);
    expect(analyst.asked).toHaveLength(1);
  });

  it.each([
    { asked: 3_000, waited: 3_000 },
    { asked: 3_600_000, waited: 8_000 },
    { asked: 10, waited: 500 },
  ])("waits $waited ms where its service asks for $asked ms", async ({ asked, waited }) => {
    const busy = new ProviderError({
      provider: "openai",
      failure: "rate-limited",
      retryAfterMs: asked,
      message: "too many requests",
    });
    const analyst = scriptedAnalyst([busy, adviceOf({})]);
    const answer = askAnalyst(analyst, questionUntil(never));
    await vi.advanceTimersByTimeAsync(waited - 1);
    expect(analyst.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(answer).resolves.toMatchObject({ tries: 2 });
  });

  it("does not wait out a pause that its service asked for once it is aborted", async () => {
    const controller = new AbortController();
    const busy = new ProviderError({
      provider: "openai",
      failure: "rate-limited",
      retryAfterMs: 5_000,
      message: "too many requests",
    });
    const reason = new Error("out of time");
    const answer = askAnalyst(scriptedAnalyst([busy]), questionUntil(controller.signal));
    const aborted = expect(answer).rejects.toBe(reason);
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(reason);
    await aborted;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not tried again after a failure that a person has to fix", async () => {
    const badKey = new ProviderError({
      provider: "openai",
      failure: "refused",
      retryable: false,
      status: 401,
      message: "the API key was not accepted",
    });
    const analyst = scriptedAnalyst([badKey]);
    await expect(askAnalyst(analyst, questionUntil(never))).rejects.toBe(badKey);
    expect(analyst.asked).toHaveLength(1);
  });

  it("counts the tokens of every call, also of those that gave nothing", async () => {
    const reported: number[] = [];
    const wordy: Analyst = {
      ...scriptedAnalyst([]),
      async advise({ onUsage }) {
        onUsage?.({ model: "m", promptTokens: 100, completionTokens: 7, costUsd: 0.5 });
        if (reported.length < 2) throw failure("timeout");
        return { advice: adviceOf({}), model: "m", prompt: "", rawReply: "" };
      },
    };
    const onUsage = ({ promptTokens }: TokenUsage) => reported.push(promptTokens);
    const answer = askAnalyst(wordy, { ...questionUntil(never), onUsage });
    await vi.runAllTimersAsync();
    expect(await answer).toMatchObject({
      tries: 2,
      usage: { promptTokens: 200, completionTokens: 14, costUsd: 1 },
    });
    expect(reported).toEqual([100, 100]);
  });

  it("does not wait out a pause once it is aborted", async () => {
    const controller = new AbortController();
    const analyst = scriptedAnalyst([failure("timeout"), adviceOf({})]);
    const reason = new Error("out of time");
    const aborted = expect(askAnalyst(analyst, questionUntil(controller.signal))).rejects.toBe(
      reason,
    );
    await vi.advanceTimersByTimeAsync(100);
    controller.abort(reason);
    await aborted;
    expect(analyst.asked).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not wait for an analyst that ignores the abort", async () => {
    const controller = new AbortController();
    const deaf = {
      name: "openai",
      version: "openai/1",
      advise: () => new Promise<never>(() => undefined),
    } as const;
    const reason = new Error("out of time");
    const aborted = expect(askAnalyst(deaf, questionUntil(controller.signal))).rejects.toBe(reason);
    controller.abort(reason);
    await aborted;
  });

  it("asks nothing when it is aborted already", async () => {
    const reason = new Error("too late");
    const analyst = scriptedAnalyst([adviceOf({})]);
    await expect(askAnalyst(analyst, questionUntil(AbortSignal.abort(reason)))).rejects.toBe(
      reason,
    );
    expect(analyst.asked).toHaveLength(0);
  });
});
