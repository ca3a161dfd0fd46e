import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProviderError, type ProviderFailure } from "../providers/provider-error.ts";
import { askAnalyst } from "./ask-analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { adviceOf, scriptedAnalyst } from "./testing/in-memory-ports.ts";
import { candlesFromCloses } from "./testing/made-candles.ts";

const brief = buildMarketBrief({
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 10,
  candles: candlesFromCloses([100, 101]),
});
const failure = (kind: ProviderFailure) =>
  new ProviderError({ provider: "openai", failure: kind, message: "of no use" });
const questionUntil = (abort: AbortSignal) => ({ brief, corrections: [], abort });
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("asking an analyst", () => {
  it.each(["unreachable", "rate-limited", "refused", "nonsense", "timeout"] as const)(
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
    const analyst = scriptedAnalyst([failure("timeout"), failure("nonsense"), last]);
    const refused = expect(askAnalyst(analyst, questionUntil(never))).rejects.toBe(last);
    await vi.runAllTimersAsync();
    await refused;
    expect(analyst.asked).toHaveLength(3);
  });

  it.each([failure("unknown-symbol"), new Error("a bug"), new TypeError("another bug")])(
    "is not tried again after what another try cannot mend: %s",
    async (error) => {
      const analyst = scriptedAnalyst([error]);
      await expect(askAnalyst(analyst, questionUntil(never))).rejects.toBe(error);
      expect(analyst.asked).toHaveLength(1);
    },
  );

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
    const deaf = { name: "openai", advise: () => new Promise<never>(() => undefined) } as const;
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
