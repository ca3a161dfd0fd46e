import { describe, expect, it } from "vitest";
import { signalRequestSchema } from "./signal.ts";

const request = { symbol: "btc/usdt", timeframe: "1h" };

describe("a signal request", () => {
  it("falls back to the documented defaults for numbers that are missing", () => {
    expect(signalRequestSchema.parse(request)).toEqual({
      symbol: "BTC/USDT",
      timeframe: "1h",
      limit: 50,
      amount: 100,
      risk_percent: 1,
      leverage: 1,
    });
  });

  it.each(["", "  ", "abc", null, Number.NaN, {}, []])("reads %j as the default", (leverage) => {
    expect(signalRequestSchema.parse({ ...request, leverage }).leverage).toBe(1);
  });

  it("reads numbers from form fields", () => {
    const fromForm = {
      ...request,
      amount: "250.5",
      risk_percent: "2",
      leverage: "10",
      limit: "100",
    };
    expect(signalRequestSchema.parse(fromForm)).toMatchObject({
      amount: 250.5,
      risk_percent: 2,
      leverage: 10,
      limit: 100,
    });
  });

  it.each([
    { limit: 9 },
    { limit: 501 },
    { limit: 50.5 },
    { amount: 0 },
    { amount: -1 },
    { risk_percent: 0 },
    { risk_percent: 100.1 },
    { leverage: 0.5 },
    { leverage: 126 },
    { timeframe: "1x" },
    { symbol: "A" },
    { symbol: "A".repeat(21) },
    { symbol: "BTC USDT" },
    { symbol: { $gt: "" } },
  ])("refuses %j", (field) => {
    expect(signalRequestSchema.safeParse({ ...request, ...field }).success).toBe(false);
  });
});
