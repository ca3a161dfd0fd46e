import { expect, it } from "vitest";
import { backtestOf, bitcoinCandles } from "../testing/backtest-input.ts";
import { analystStrategy } from "./analyst-strategy.ts";
import { randomEntries } from "./baselines.ts";
import { atrOfBars, createResolver, simulateTrades } from "./simulate.ts";

it("puts random entries only where the costs leave enough of the risk", async () => {
  const { course, market, finerMarket, analyst, abort, options } = backtestOf(bitcoinCandles(120));
  const { costs } = options;
  const stake = { amount: 100, riskPercent: 1, leverage: 10 };
  const resolve = createResolver({ course, finerMarket, costs });
  const { decide } = analystStrategy({ course, market, analyst, stake, costs, limit: 50, abort });
  const { trades } = await simulateTrades({ course, decide, resolve, every: 1 });
  expect(trades.length).toBeGreaterThan(2);

  const chance = {
    course,
    trades,
    stake,
    atrAt: atrOfBars(course),
    resolve,
    repetitions: 10,
    seed: 1,
  };
  const share = ({ entry, stopLoss }: { entry: number; stopLoss: number }) =>
    (0.0011 * entry) / Math.abs(entry - stopLoss);
  const placed = (await randomEntries({ ...chance, costs })).flat().map(({ trade }) => trade);
  expect(placed.length).toBeGreaterThan(10);
  expect(Math.max(...placed.map(share))).toBeLessThanOrEqual(0.15);
  const free = { spread_percent: 0, commission_percent: 0 };
  const unbound = (await randomEntries({ ...chance, costs: free })).flat();
  expect(Math.max(...unbound.map(({ trade }) => share(trade)))).toBeGreaterThan(0.15);
});
