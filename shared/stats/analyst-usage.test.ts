import { expect, test } from "vitest";
import { addUsage, sumOfUsage, usageMetrics } from "./analyst-usage.ts";

const call = (latencyMs: number | null, costUsd: number | null = 0.02) =>
  sumOfUsage({ tokens: { promptTokens: 3_000, completionTokens: 500, costUsd }, latencyMs });

test("tokens and cost are means, the latency is the median to two digits", () => {
  const first = addUsage([call(1_234), call(90_000, 0.05)]);
  const second = addUsage([call(4_321), call(2_000), call(8_000)]);
  expect(usageMetrics(addUsage([first, second]))).toEqual({
    prompt_tokens: 3_000,
    completion_tokens: 500,
    cost_usd: expect.closeTo((4 * 0.02 + 0.05) / 5, 12),
    latency_ms: 4_300,
  });
});

test("the mean cost leaves out analyses of unknown cost", () => {
  const sums = addUsage([call(1_000), call(1_000, null), call(1_000, 0.04)]);
  expect(usageMetrics(sums).cost_usd).toBeCloseTo(0.03, 12);
});

test("nothing is stated without analyses that were measured", () => {
  const rules = sumOfUsage({ tokens: null, latencyMs: null });
  expect(usageMetrics(addUsage([rules, rules]))).toEqual({
    prompt_tokens: null,
    completion_tokens: null,
    cost_usd: null,
    latency_ms: null,
  });
});

test("an even number of latencies has the lower one in the middle as its median", () => {
  expect(usageMetrics(addUsage([call(400), call(100), call(300), call(200)])).latency_ms).toBe(200);
});
