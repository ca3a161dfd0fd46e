import { describe, expect, it } from "vitest";
import { describePush, showPush } from "./push.ts";

const textOf = (type: string, data: object) => describePush(JSON.stringify({ type, data }));

describe("the notification of a push", () => {
  it("has direction, market, confidence and levels of a signal, and opens it", () => {
    const analysis = { final_signal: "SELL", confidence: 64.4, entry: 100.5, stop_loss: 102 };
    const signal = { signal_id: "one", symbol: "XAU/USD", timeframe: "4h", analysis };
    expect(textOf("signal.completed", signal)).toEqual({
      title: "SELL XAU/USD",
      body: "Entry 100.5 · Stop loss 102 · 4h, 64.4% stated confidence, not yet calibrated",
      to: "/signals/one",
    });
  });

  it("has the logo that the operator has given the product, and its name where nothing else is said", () => {
    const look = { product: "Northwind", icon: "https://api.example.com/branding/logo?v=1" };
    const known = { type: "account.updated", data: { reason: "approved" }, ...look };
    expect(describePush(JSON.stringify(known))).toMatchObject({
      title: "Account approved",
      icon: look.icon,
    });
    const unknown = { type: "something.new", data: {}, ...look };
    expect(describePush(JSON.stringify(unknown)).title).toBe("Northwind");
  });

  it("writes tiny prices without an exponent", () => {
    const analysis = { final_signal: "BUY", entry: 9.1e-6, stop_loss: 4.2e-7, take_profit: 4e-8 };
    expect(textOf("signal.completed", { symbol: "PEPE/USDT", analysis }).body).toBe(
      "Entry 0.0000091 · Stop loss 0.00000042 · Take profit 0.00000004",
    );
  });

  it.each([
    ["signal.filled", { price: 10 }, "Entry filled: your signal"],
    ["signal.outcome", { symbol: "BTC/USDT", outcome: "WIN" }, "WIN: BTC/USDT"],
    ["signal.completed", { symbol: "BTC/USDT", analysis: null }, "Signal ready: BTC/USDT"],
    ["proof.submitted", { username: "ann" }, "New payment proof"],
    ["budget.reached", {}, "80% of the AI budget is spent"],
    ["account.updated", { reason: "approved" }, "Account approved"],
    ["account.updated", { reason: "of-the-future" }, "Account updated"],
    ["account.updated", {}, "Account updated"],
    ["subscription.expiring", {}, "Subscription ends soon"],
    ["user.registered", {}, "New registration"],
    ["channel.summary", { counts: { a: 2, b: 3 } }, "5 messages from your quiet hours"],
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

describe("a push", () => {
  it.each([
    ["shows a notification without a sound while the app is in view", "visible", true],
    ["shows a notification with a sound while the app is in the background", "hidden", false],
  ])("%s", async (_, visibilityState, silent) => {
    const shown: unknown[] = [];
    const scope = {
      clients: { matchAll: () => Promise.resolve([{ visibilityState }]) },
      registration: {
        showNotification: (title: string, options: object) => {
          shown.push({ title, ...options });
          return Promise.resolve();
        },
      },
    };
    await showPush(scope, '{"type":"channel.test","data":{}}');
    expect(shown).toMatchObject([{ title: "Test notification", silent }]);
  });
});
