import type { Analysis, SignalResponse } from "@shared/contract/signal.ts";
import { tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pushPayload } from "./web-push-sender.ts";

const AT = new Date("2026-11-21T10:00:00Z");
const payloadSchema = z.object({ data: z.unknown() });

const signalWith = (analysis: Analysis): SignalResponse => ({
  signal_id: "0123456789abcdef01234567",
  symbol: "1000SATS/USDT:USDT",
  timeframe: "1h",
  status: "completed",
  created_at: AT.toISOString(),
  origin: "request",
  analysis,
});

describe("the payload of a push", () => {
  const cut = (data: unknown) => {
    const json = pushPayload({ type: "signal.completed", timestamp: AT, data });
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(3_072 - 103);
    return payloadSchema.parse(JSON.parse(json)).data;
  };
  const raw = tradeAnalysis(AT).raw_ai;

  it("is the whole message if it fits", () => {
    const data = signalWith(tradeAnalysis(AT));
    expect(cut(data)).toEqual(data);
  });

  it.each([
    ["a long text", "x".repeat(9_000)],
    ["a long text of wide characters", "📈".repeat(4_000)],
    ["many texts", Array.from({ length: 500 }, (_, index) => `Reason ${index}`)],
    ["many topics", Object.fromEntries(Array.from({ length: 900 }, (_, key) => [key, "Up"]))],
    ["deep topics", JSON.parse(`${'{"a":['.repeat(900)}1${"]}".repeat(900)}`)],
  ])("keeps what identifies a signal, and its levels, beside %s", (_, rationale) => {
    const analysis = { ...tradeAnalysis(AT), raw_ai: { ...raw, rationale } };
    const { final_signal, confidence, entry, stop_loss, take_profit } = analysis;
    const levels = { final_signal, confidence, entry, stop_loss, take_profit };
    const { analysis: _analysis, ...signal } = signalWith(analysis);
    expect(cut(signalWith(analysis))).toMatchObject({ ...signal, analysis: levels });
  });

  it("cuts long texts first, between characters", () => {
    const analysis = {
      ...tradeAnalysis(AT),
      raw_ai: { ...raw, rationale: "📈".repeat(2_000), key_evidence: ["Higher lows"] },
    };
    expect(cut(signalWith(analysis))).toMatchObject({
      analysis: {
        raw_ai: { rationale: `${"📈".repeat(199)}…`, key_evidence: ["Higher lows"] },
      },
    });
  });

  it("keeps the counts of a summary", () => {
    const message = { type: "signal.completed", timestamp: AT.toISOString() };
    const data = signalWith(tradeAnalysis(AT));
    const messages = Array.from({ length: 20 }, () => ({ ...message, data }));
    const summary = { from: AT, to: AT, counts: { "signal.completed": 20 }, messages };
    expect(cut(summary)).toMatchObject({ counts: { "signal.completed": 20 } });
  });

  it("is valid whatever the data is", () => {
    const wide = Object.fromEntries(Array.from({ length: 900 }, (_, key) => [`key ${key}`, key]));
    expect(cut(wide)).toEqual({});
  });
});
