import { signalRequestSchema } from "@shared/contract/signal.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesSymbol, symbolGroups, unitName } from "../../domain/symbols.ts";
import { type BotInputs, defaultInputs, INPUT_LIMITS, readInputs, stakeOf } from "./bot-store.ts";

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

test("a symbol that is too short is reported at its field", () => {
  expect(withInputs({ symbol: "B" }).errors).toEqual({
    symbol: "Enter a symbol of at least 2 characters.",
  });
});

test.each([
  ["amount", { amount: 0 }, { amount: 0.01 }],
  ["risk", { riskPercent: 101 }, { risk_percent: 100 }],
  ["leverage", { leverage: 0 }, { leverage: 1 }],
])("a %s out of range becomes the nearest one in range", (_field, change, expected) => {
  expect(withInputs(change).request).toMatchObject(expected);
});

const anyNumber = fc.option(fc.double({ noNaN: true }));

test("whatever its numbers, the form makes a request that the server accepts, and changes none in range", () => {
  fc.assert(
    fc.property(anyNumber, anyNumber, anyNumber, (amount, riskPercent, leverage) => {
      const inputs = { ...defaultInputs, amount, riskPercent, leverage };
      expect(signalRequestSchema.safeParse(readInputs(inputs).request).success).toBe(true);
      const stake = stakeOf(inputs);
      for (const field of ["amount", "riskPercent", "leverage"] as const) {
        const { min, max } = INPUT_LIMITS[field];
        const typed = inputs[field];
        expect(stake[field]).toBeGreaterThanOrEqual(min);
        expect(stake[field]).toBeLessThanOrEqual(max);
        if (typed !== null && typed >= min && typed <= max) expect(stake[field]).toBe(typed);
      }
      expect(stakeOf({ ...inputs, ...stake })).toEqual(stake);
    }),
  );
});

test("suggestions match any part, whatever the case", () => {
  expect(matchesSymbol("BTC/USDT", "c/us")).toBe(true);
  expect(matchesSymbol("BTC/USDT", "eth")).toBe(false);
});

test.each([
  ["BTC/USDT", "BTC"],
  ["PEPE/USDT", "PEPE"],
  ["XAU/USD", "XAU"],
  ["US30", "units"],
  ["WTI", "units"],
  ["AAPL", "shares"],
])("a position in %s counts %s", (symbol, unit) => expect(unitName(symbol)).toBe(unit));

test.each([
  ["aap", [{ title: "Stocks", symbols: ["AAPL"] }]],
  [" MS", [{ title: "Stocks", symbols: ["MSFT"] }]],
  ["micro", [{ title: "Stocks", symbols: ["MSFT"] }]],
  ["m", []],
  ["apl", []],
])("stocks are found by the start of their symbol or name: %j", (query, groups) => {
  expect(symbolGroups(query, { watched: [], recent: [] })).toEqual(groups);
});

test("watched and recent symbols come first, each symbol once; a search lists suggestions only", () => {
  const saved = { watched: ["WTI", "WTI"], recent: ["LINK/USDT", "WTI", "BTC/USDT"] };
  const groups = symbolGroups("", saved);
  expect(groups.slice(0, 2)).toEqual([
    { title: "Watched", symbols: ["WTI"] },
    { title: "Recent", symbols: ["LINK/USDT", "BTC/USDT"] },
  ]);
  expect(groups.slice(2).map(({ title }) => title)).toEqual([
    "Crypto",
    "Metals",
    "Forex",
    "Indices",
    "Oil",
  ]);
  const all = groups.flatMap(({ symbols }) => symbols);
  expect(all).toHaveLength(new Set(all).size);
  expect(symbolGroups("t", saved)).toEqual([
    {
      title: "Crypto",
      symbols: [
        "BTC/USDT",
        "ETH/USDT",
        "BNB/USDT",
        "ADA/USDT",
        "SOL/USDT",
        "XRP/USDT",
        "LTC/USDT",
        "DOGE/USDT",
      ],
    },
    { title: "Oil", symbols: ["WTI", "BRENT"] },
  ]);
});
