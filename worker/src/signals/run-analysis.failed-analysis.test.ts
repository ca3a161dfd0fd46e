import { analysisSchema } from "@shared/contract/signal.ts";
import { addSizing } from "@shared/domain/sizing.ts";
import { describe, expect, it } from "vitest";
import { failedRun } from "./run-analysis.ts";

describe("a signal that failed for good", () => {
  const analysis = addSizing(
    {
      analysis: failedRun("The exchange did not answer.").result.analysis,
      quoteToUsd: null,
      symbol: "BTC/USDT",
    },
    { amount: 1_000, riskPercent: 1, leverage: 10 },
  );

  it("is a WAIT without confidence, levels or size, and says what was the matter", () => {
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      stop_loss: null,
      take_profit: null,
      suggested_units: 0,
      estimated_dollar_risk: 0,
      required_margin: 0,
      warnings: ["AI or data fetch failed", "The exchange did not answer."],
    });
  });

  it("has the shape of every analysis", () => {
    expect(analysisSchema.parse(analysis)).toEqual(analysis);
  });
});
