import { describe, expect, it } from "vitest";
import { describePush } from "./push.ts";

const textOf = (type: string, data: object) => describePush(JSON.stringify({ type, data }));

describe("the notification of a push", () => {
  it("has direction, market, confidence and levels of a signal, and opens it", () => {
    const analysis = { final_signal: "SELL", confidence: 64.4, entry: 100.5, stop_loss: 102 };
    const signal = { signal_id: "one", symbol: "XAU/USD", timeframe: "4h", analysis };
    expect(textOf("signal.completed", signal)).toEqual({
      title: "SELL XAU/USD 4h (64 %)",
      body: "Entry 100.5 · Stop loss 102",
      to: "/signals/one",
    });
  });

  it.each([
    ["signal.filled", { price: 10 }, "Your signal: entry filled"],
    ["signal.outcome", { symbol: "BTC/USDT", outcome: "WIN" }, "BTC/USDT: WIN"],
    ["signal.completed", { symbol: "BTC/USDT", analysis: null }, "BTC/USDT: signal ready"],
    ["proof.submitted", { username: "ann" }, "New proof of payment"],
    ["budget.reached", {}, "AI budget"],
    ["channel.summary", { counts: { a: 2, b: 3 } }, "5 messages during your quiet hours"],
    ["channel.test", {}, "Test notification"],
  ])("names a %s, even if its data is cut", (type, data, title) => {
    expect(textOf(type, data).title).toBe(title);
  });

  it.each([
    ["", "nothing"],
    ["{", "half a message"],
    ['{"type":"of.the.future","data":{}}', "an unknown type"],
    ['{"type":"signal.completed","data":{"analysis":7}}', "wrong data"],
  ])("says that something is new for %j: %s", (text) => {
    expect(describePush(text)).toMatchObject({ title: "AI Trading Bot", to: "/dashboard" });
  });
});
