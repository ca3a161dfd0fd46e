import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { expect, test } from "vitest";
import { sizePosition } from "./sizing.ts";

/** 1,000 USD of which 1% is at risk: the stop loses 10 USD wherever the margin allows it. */
const STAKE = { amount: 1_000, riskPercent: 1, leverage: 10 };

interface Market {
  symbol: string;
  entry: number;
  stop_loss: number;
  quoteToUsd?: number;
  /** Computed by hand: 10 USD by what one unit loses, and what the units cost by the leverage. */
  units: number;
  margin: number;
}

const COINS: Market[] = [
  { symbol: "BTC/USDT", entry: 100_000, stop_loss: 98_000, units: 0.005, margin: 50 },
  { symbol: "ETH/USDT", entry: 4_000, stop_loss: 3_900, units: 0.1, margin: 40 },
  { symbol: "BNB/USDT", entry: 800, stop_loss: 820, units: 0.5, margin: 40 },
  { symbol: "ADA/USDT", entry: 0.5, stop_loss: 0.49, units: 1_000, margin: 50 },
  { symbol: "SOL/USDT", entry: 160, stop_loss: 155, units: 2, margin: 32 },
  { symbol: "XRP/USDT", entry: 2.5, stop_loss: 2.6, units: 100, margin: 25 },
  { symbol: "LTC/USDT", entry: 100, stop_loss: 96, units: 2.5, margin: 25 },
  { symbol: "DOGE/USDT", entry: 0.16, stop_loss: 0.155, units: 2_000, margin: 32 },
];

const METALS: Market[] = [
  // 20 USD an ounce at risk: half an ounce, 0.005 lots of 100.
  { symbol: "XAU/USD", entry: 4_000, stop_loss: 3_980, units: 0.5, margin: 200 },
  { symbol: "XAG/USD", entry: 50, stop_loss: 50.5, units: 20, margin: 100 },
];

const CURRENCIES: Market[] = [
  // 40 pips of 0.0001 USD a euro.
  { symbol: "EUR/USD", entry: 1.16, stop_loss: 1.156, units: 2_500, margin: 290 },
  { symbol: "GBP/USD", entry: 1.3, stop_loss: 1.305, units: 2_000, margin: 260 },
  { symbol: "AUD/USD", entry: 0.65, stop_loss: 0.645, units: 2_000, margin: 130 },
  // 1.6 yen a dollar, which are 1.6 / 160 = 0.01 USD at the entry; a dollar costs a dollar.
  { symbol: "USD/JPY", entry: 160, stop_loss: 158.4, units: 1_000, margin: 100 },
];

const INDICES: Market[] = [
  { symbol: "US30", entry: 46_000, stop_loss: 45_800, units: 0.05, margin: 230 },
  { symbol: "NAS100", entry: 25_000, stop_loss: 25_100, units: 0.1, margin: 250 },
  { symbol: "SPX500", entry: 6_600, stop_loss: 6_580, units: 0.5, margin: 330 },
];

const OIL: Market[] = [
  { symbol: "WTI", entry: 60, stop_loss: 58, units: 5, margin: 30 },
  { symbol: "BRENT", entry: 64, stop_loss: 64.5, units: 20, margin: 128 },
];

const STOCKS: Market[] = [
  { symbol: "AAPL", entry: 250, stop_loss: 246, units: 2.5, margin: 62.5 },
  { symbol: "MSFT", entry: 500, stop_loss: 516, units: 0.625, margin: 31.25 },
];

const CROSSES: Market[] = [
  // Half a yen a euro at 1/160 USD a yen: 0.003125 USD.
  {
    symbol: "EUR/JPY",
    entry: 180,
    stop_loss: 179.5,
    quoteToUsd: 1 / 160,
    units: 3_200,
    margin: 360,
  },
  { symbol: "EUR/GBP", entry: 0.88, stop_loss: 0.888, quoteToUsd: 1.25, units: 1_000, margin: 110 },
  // 0.0008 bitcoins an ether at 100,000 USD a bitcoin: 80 USD.
  {
    symbol: "ETH/BTC",
    entry: 0.04,
    stop_loss: 0.0392,
    quoteToUsd: 100_000,
    units: 0.125,
    margin: 50,
  },
];

const OWN = [...COINS, ...METALS, ...CURRENCIES, ...INDICES, ...OIL, ...STOCKS];

test.each([...OWN, ...CROSSES])("a position in $symbol loses 10 USD at its stop", (market) => {
  const { symbol, entry, stop_loss, quoteToUsd, units, margin } = market;
  const size = sizePosition({ symbol, advice: { entry, stop_loss }, stake: STAKE, quoteToUsd });
  expect(size.units / units).toBeCloseTo(1, 10);
  expect(size.requiredMargin / margin).toBeCloseTo(1, 10);
  expect(size.dollarRisk).toBe(10);
  expect(size.warnings).toEqual([]);
});

test("every symbol of the product is among them", () => {
  expect(OWN.map(({ symbol }) => symbol)).toEqual([...PRODUCT_SYMBOLS]);
});

test.each([
  { symbol: "XAU/USD", entry: 4_000, stop_loss: 3_998, units: 2.5, risk: 5 },
  { symbol: "EUR/USD", entry: 1.25, stop_loss: 1.249, units: 8_000, risk: 8 },
  { symbol: "USD/JPY", entry: 160, stop_loss: 159.92, units: 10_000, risk: 5 },
  { symbol: "SPX500", entry: 5_000, stop_loss: 4_999, units: 2, risk: 2 },
  { symbol: "WTI", entry: 50, stop_loss: 49.98, units: 200, risk: 4 },
  { symbol: "ETH/BTC", entry: 0.04, stop_loss: 0.03998, quoteToUsd: 100_000, units: 2.5, risk: 5 },
])("a position in $symbol that 10,000 USD cannot carry is cut, and its risk follows", (market) => {
  const { symbol, entry, stop_loss, quoteToUsd, units, risk } = market;
  const size = sizePosition({ symbol, advice: { entry, stop_loss }, stake: STAKE, quoteToUsd });
  expect(size.units / units).toBeCloseTo(1, 10);
  expect(size.dollarRisk / risk).toBeCloseTo(1, 10);
  expect(size.requiredMargin).toBe(STAKE.amount);
  expect(size.warnings).toEqual([
    `Position cut to what 1000 USD can carry at leverage 10: the stop now risks ${risk} USD instead of 10 USD.`,
  ]);
});

test.each([
  { name: "a coin of millionths of a cent", entry: 1.2e-8, stop_loss: 1.1e-8, units: 1e10 },
  { name: "a market of a million", entry: 1_000_000, stop_loss: 900_000, units: 0.0001 },
])("no rounding comes between units, distance and risk: $name", ({ entry, stop_loss, units }) => {
  const size = sizePosition({ symbol: "ABC/USDT", advice: { entry, stop_loss }, stake: STAKE });
  expect(size.units / units).toBeCloseTo(1, 9);
  expect((size.units * Math.abs(entry - stop_loss)) / size.dollarRisk).toBeCloseTo(1, 12);
});
