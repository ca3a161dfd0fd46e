import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizePosition } from "./sizing.ts";

const trade = (entry: number, stop_loss: number) => ({ entry, stop_loss });

describe("a position's size, computed by hand", () => {
  it.each([
    {
      name: "bitcoin in a dollar token: 1 USD at risk, 2,000 of it a coin",
      options: {
        symbol: "BTC/USDT",
        advice: trade(50_000, 48_000),
        stake: { amount: 100, riskPercent: 1, leverage: 1 },
      },
      size: { units: 0.0005, dollarRisk: 1, requiredMargin: 25 },
    },
    {
      name: "a short in euros: 20 USD at risk, 0.004 of it a euro, at 20 times",
      options: {
        symbol: "EUR/USD",
        advice: trade(1.25, 1.254),
        stake: { amount: 1_000, riskPercent: 2, leverage: 20 },
      },
      size: { units: 5_000, dollarRisk: 20, requiredMargin: 312.5 },
    },
    {
      name: "dollars in yen: the stop is 0.75 JPY away, 0.75 / 150 = 0.005 USD; a unit costs 1 USD",
      options: {
        symbol: "USD/JPY",
        advice: trade(150, 149.25),
        stake: { amount: 1_000, riskPercent: 1, leverage: 10 },
      },
      size: { units: 2_000, dollarRisk: 10, requiredMargin: 200 },
    },
    {
      name: "an index: one point is one dollar",
      options: {
        symbol: "US30",
        advice: trade(40_000, 39_800),
        stake: { amount: 10_000, riskPercent: 1, leverage: 4 },
      },
      size: { units: 0.5, dollarRisk: 100, requiredMargin: 5_000 },
    },
    {
      name: "barrels of oil",
      options: {
        symbol: "WTI",
        advice: trade(80, 82),
        stake: { amount: 1_000, riskPercent: 1, leverage: 1 },
      },
      size: { units: 5, dollarRisk: 10, requiredMargin: 400 },
    },
    {
      name: "euros in pounds, with the pound at 1.25 USD",
      options: {
        symbol: "EUR/GBP",
        advice: trade(0.8, 0.796),
        stake: { amount: 1_000, riskPercent: 1, leverage: 10 },
        quoteToUsd: 1.25,
      },
      size: { units: 2_000, dollarRisk: 10, requiredMargin: 200 },
    },
  ])("$name", ({ options, size }) => {
    const { units, dollarRisk, requiredMargin, warnings } = sizePosition(options);
    expect(units).toBeCloseTo(size.units, 8);
    expect(dollarRisk).toBeCloseTo(size.dollarRisk, 8);
    expect(requiredMargin).toBeCloseTo(size.requiredMargin, 8);
    expect(warnings).toEqual([]);
  });

  it("is reduced to what the amount covers, and the risk with it", () => {
    const size = sizePosition({
      symbol: "BTC/USDT",
      advice: trade(50_000, 49_750),
      stake: { amount: 100, riskPercent: 1, leverage: 1 },
    });
    expect(size.units).toBeCloseTo(0.002, 12);
    expect(size.dollarRisk).toBeCloseTo(0.5, 12);
    expect(size.requiredMargin).toBe(100);
    expect(size.warnings).toEqual([
      "Position cut to what 100 USD can carry at leverage 1: the stop now risks 0.5 USD instead of 1 USD.",
    ]);
  });

  it("never has a higher risk than requested, not even by rounding", () => {
    expect(((31 * 3) / 90) * 1.5).toBeGreaterThan(31 * 0.05);
    const size = sizePosition({
      symbol: "BTC/USDT",
      advice: trade(90, 88.5),
      stake: { amount: 31, riskPercent: 5, leverage: 3 },
    });
    expect(size.dollarRisk).toBe(1.55);
  });

  it("of yen positions too is cut by what its dollars cost", () => {
    const size = sizePosition({
      symbol: "USD/JPY",
      advice: trade(150, 149.25),
      stake: { amount: 1_000, riskPercent: 1, leverage: 1 },
    });
    expect(size.units).toBe(1_000);
    expect(size.dollarRisk).toBeCloseTo(5, 12);
    expect(size.requiredMargin).toBe(1_000);
  });

  it("counts a dollar as exactly a dollar, where the rate there and back would not", () => {
    expect(103 * (1 / 103)).not.toBe(1);
    const size = sizePosition({
      symbol: "USD/JPY",
      advice: trade(103, 102.9),
      stake: { amount: 1_000, riskPercent: 1, leverage: 1 },
    });
    expect(size.units).toBe(1_000);
  });

  it("is 0 for a WAIT", () => {
    const size = sizePosition({
      symbol: "BTC/USDT",
      advice: { entry: null, stop_loss: null },
      stake: { amount: 100, riskPercent: 1, leverage: 1 },
    });
    expect(size).toEqual({ units: 0, dollarRisk: 0, requiredMargin: 0, warnings: [] });
  });

  it("is 0, with a warning, if the value of the quote currency in dollars is not known", () => {
    const size = sizePosition({
      symbol: "EUR/GBP",
      advice: trade(0.8, 0.796),
      stake: { amount: 100, riskPercent: 1, leverage: 1 },
    });
    expect(size).toMatchObject({ units: 0, dollarRisk: 0, requiredMargin: 0 });
    expect(size.warnings).toEqual([
      "Position size is not computed: the value of GBP in USD is not known.",
    ]);
  });
});

/** USD per unit of the base and of the quote at the given entry, as the market sees it. */
const markets = [
  { symbol: "BTC/USDT", usdPerQuote: () => 1 },
  { symbol: "XAU/USD", usdPerQuote: () => 1 },
  { symbol: "SPX500", usdPerQuote: () => 1 },
  { symbol: "USDC/USDT", usdPerQuote: () => 1 },
  { symbol: "USD/JPY", usdPerQuote: (entry: number) => 1 / entry },
  { symbol: "USDT/TRY", usdPerQuote: (entry: number) => 1 / entry },
  { symbol: "ETH/BTC", usdPerQuote: () => 113_000, quoteToUsd: 113_000 },
  { symbol: "EUR/GBP", usdPerQuote: () => 1.27, quoteToUsd: 1.27 },
];

const drawn = fc.record({
  market: fc.constantFrom(...markets),
  entry: fc.double({ min: 1e-7, max: 1e6, noNaN: true }),
  stopShare: fc.double({ min: 1e-6, max: 0.9, noNaN: true }),
  isBuy: fc.boolean(),
  amount: fc.double({ min: 0.01, max: 1e12, noNaN: true }),
  riskPercent: fc.double({ min: 1e-6, max: 100, noNaN: true }),
  leverage: fc.double({ min: 1, max: 125, noNaN: true }),
});

describe("for any trade", () => {
  it("the stop loses the stated risk, never more than asked for, and the margin fits the amount", () => {
    fc.assert(
      fc.property(drawn, ({ market, entry, stopShare, isBuy, ...stake }) => {
        const stopLoss = entry * (isBuy ? 1 - stopShare : 1 + stopShare);
        const { symbol, quoteToUsd, usdPerQuote } = market;
        const size = sizePosition({ symbol, advice: trade(entry, stopLoss), stake, quoteToUsd });

        const rate = usdPerQuote(entry);
        const lossAtStop = size.units * Math.abs(entry - stopLoss) * rate;
        const margin = (size.units * entry * rate) / stake.leverage;
        const asked = (stake.amount * stake.riskPercent) / 100;

        expect(size.units).toBeGreaterThan(0);
        expect(Math.abs(lossAtStop / size.dollarRisk - 1)).toBeLessThan(1e-9);
        expect(Math.abs(margin / size.requiredMargin - 1)).toBeLessThan(1e-9);
        expect(size.requiredMargin).toBeLessThanOrEqual(stake.amount);
        expect(size.dollarRisk).toBeLessThanOrEqual(asked);
        const isCut = size.warnings.some((text) => text.startsWith("Position cut"));
        if (isCut) expect(size.requiredMargin).toBe(stake.amount);
        else expect(size.dollarRisk).toBe(asked);
      }),
      randomCases(10_000),
    );
  });
});

describe("a position warns", () => {
  const stake = { amount: 10_000, riskPercent: 1, leverage: 10 };

  it.each([
    [99, false],
    [100, true],
    [125, true],
  ])("with a stop 1% away at leverage %d that it is liquidated before: %s", (leverage, isSo) => {
    const size = sizePosition({
      symbol: "BTC/USDT",
      advice: trade(100, 99),
      stake: { ...stake, leverage },
    });
    expect(size.warnings.some((text) => text.startsWith("Liquidated before the stop"))).toBe(isSo);
  });
});
