import { expect, test } from "vitest";
import { type BotInputs, defaultInputs, readInputs } from "./bot-store.ts";
import { matchesSymbol } from "./components/form-fields.tsx";

const withInputs = (change: Partial<BotInputs>) => readInputs({ ...defaultInputs, ...change });

test("the form starts with the defaults", () => {
  expect(readInputs(defaultInputs).request).toEqual({
    symbol: "BTC/USDT",
    timeframe: "1h",
    limit: 50,
    amount: 100,
    risk_percent: 1,
    leverage: 1,
  });
});

test("numbers that do not parse fall back to the defaults", () => {
  const { request } = withInputs({ amount: null, riskPercent: null, leverage: null });
  expect(request).toMatchObject({ amount: 100, risk_percent: 1, leverage: 1 });
});

test("a free symbol is sent in capitals", () => {
  expect(withInputs({ symbol: " link/usdt " }).request?.symbol).toBe("LINK/USDT");
});

test.each([
  ["amount", { amount: 0 }, "Enter an amount above 0."],
  ["risk_percent", { riskPercent: 101 }, "Enter a risk above 0 and up to 100 percent."],
  ["leverage", { leverage: 0.5 }, "Enter a leverage from 1 to 125."],
  ["symbol", { symbol: "B" }, "Enter a symbol of at least 2 characters."],
])("a %s out of range is reported at its field", (field, change, message) => {
  expect(withInputs(change).errors).toEqual({ [field]: message });
});

test("suggestions match any part, whatever the case", () => {
  expect(matchesSymbol("BTC/USDT", "c/us")).toBe(true);
  expect(matchesSymbol("BTC/USDT", "eth")).toBe(false);
});
