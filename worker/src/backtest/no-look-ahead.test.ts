import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MarketData } from "../market-data/market-data.ts";
import { backtestOf, bitcoinCandles } from "../testing/backtest-input.ts";
import { analystStrategy } from "./analyst-strategy.ts";
import { runBacktest } from "./run-backtest.ts";

const BARS = 60;
const candles = bitcoinCandles(BARS);

/** `candles`, of which those after `last` are another market's: moved by `factor`, and upside down. */
function mutateAfter(last: number, factor: number): Candle[] {
  const pivot = candles[last]?.close ?? Number.NaN;
  const other = (price: number) => Math.max(1, factor * (2 * pivot - price));
  return candles.map((candle, index) => {
    if (index <= last) return candle;
    const open = other(candle.open);
    const close = other(candle.close);
    const [high, low] = [other(candle.low), other(candle.high)];
    return { ...candle, open, high, low, close, volume: candle.volume * factor };
  });
}

const closeAfter = (last: number) => (candles[last]?.time ?? 0) + TIMEFRAME_MS["1h"];

async function decisions(walked: readonly Candle[]) {
  const { statements, trades } = await runBacktest(
    backtestOf(walked, { repetitions: 1, bars: BARS }),
  );
  return { statements, trades: trades.map(({ judgement: _, cost_r: __, ...trade }) => trade) };
}

describe("a backtest", () => {
  it("decides the same up to a bar, whatever the candles after it are", async () => {
    const real = await decisions(candles);
    let changedLater = 0;
    const bar = fc.integer({ min: 300, max: 300 + BARS - 10 });
    const factor = fc.double({ min: 0.5, max: 2, noNaN: true });
    await fc.assert(
      fc.asyncProperty(bar, factor, async (last, by) => {
        const mutated = await decisions(mutateAfter(last, by));
        const until = (list: readonly { at: string }[]) =>
          list.filter(({ at }) => Date.parse(at) <= closeAfter(last));
        expect(until(mutated.statements)).toEqual(until(real.statements));
        expect(until(mutated.trades)).toEqual(until(real.trades));
        if (JSON.stringify(mutated) !== JSON.stringify(real)) changedLater += 1;
      }),
      { numRuns: 12, seed: 5 },
    );
    // Otherwise the candles after a bar would not matter to anything, and the above would show nothing.
    expect(changedLater).toBe(12);
  }, 120_000);

  it("shows the pipeline no candle that closes after the bar, and no later clock", async () => {
    const input = backtestOf(candles);
    const shown: { lastCloseAt: number; asked: number }[] = [];
    let asked = 0;
    const market: MarketData = {
      async candles(request) {
        const answer = await input.market.candles(request);
        const last = answer.candles.at(-1);
        shown.push({ lastCloseAt: (last?.time ?? 0) + TIMEFRAME_MS["1h"], asked });
        return answer;
      },
    };
    const { course, analyst, abort } = input;
    const { costs } = input.options;
    const stake = { amount: 100, riskPercent: 1, leverage: 1 };
    const { decide } = analystStrategy({ course, market, analyst, stake, costs, limit: 50, abort });
    for (const bar of [299, 310, 350]) {
      asked = closeAfter(bar);
      await decide(bar);
    }
    expect(shown).toHaveLength(3);
    for (const { lastCloseAt, asked: at } of shown) expect(lastCloseAt).toBe(at);
  });
});
