import { beforeAll, describe, expect, it } from "vitest";
import { ProviderError } from "../market-data/market-data.ts";
import { backtestOf, bitcoinCandles } from "../testing/backtest-input.ts";
import { candlesFromCloses, series } from "../testing/fakes.ts";
import { type BacktestReport, backtestReportSchema } from "./report.ts";
import { runBacktest } from "./run-backtest.ts";

const candles = bitcoinCandles(200);

describe("the report of a backtest", () => {
  let report: BacktestReport;
  beforeAll(async () => {
    report = await runBacktest(backtestOf(candles));
  });

  it("is the same for the same seed; another one changes the random entries alone", async () => {
    expect(await runBacktest(backtestOf(candles))).toEqual(report);
    const other = await runBacktest(backtestOf(candles, { seed: 8 }));
    expect(other.random).not.toEqual(report.random);
    expect(other.trades).toEqual(report.trades);
    expect(other.atr_rule).toEqual(report.atr_rule);
  });

  it("adds up: trades, statistics and the end of the curve", () => {
    const results = report.trades.map(({ judgement }) => judgement?.r_multiple ?? 0);
    const total = results.reduce((sum, r) => sum + r, 0);
    expect(report.trades.length).toBeGreaterThan(5);
    expect(report.figures.total_r).toBeCloseTo(total, 9);
    expect(report.curves.analyst.at(-1)).toBeCloseTo(total, 9);
    const { wins, losses, expired, not_filled, pending } = report.figures.counts;
    expect(wins + losses + expired + not_filled + pending).toBe(report.trades.length);
    expect(report.analyst.asked - report.analyst.waits).toBe(report.trades.length);
    expect(report.bars).toBe(200);
    expect(backtestReportSchema.parse(report)).toEqual(report);
  });

  it("gives the random entries as many trades at most, and a band around their mean", () => {
    const { random, trades } = report;
    expect(random.repetitions).toBe(20);
    expect(random.trades?.high).toBeLessThanOrEqual(trades.length);
    const { low = 0, mean = 0, high = 0 } = random.total_r ?? {};
    expect(low).toBeLessThan(mean);
    expect(mean).toBeLessThan(high);
  });

  it("leaves rates out where there are too few trades, and says so", () => {
    const { figures, caveats } = report;
    expect(figures.win_rate).toBeNull();
    expect(caveats).toContainEqual(expect.stringMatching(/^Only \d+ trades were won or lost/));
    expect(caveats).toContainEqual(expect.stringMatching(/^In-sample/));
  });

  it("of a market that rises steadily says that holding paid, net of costs", async () => {
    const costs = { spread_percent: 0.04, commission_percent: 0.03 };
    const steady = candlesFromCloses(series(360, (index) => 1_000 + index));
    const { hold } = await runBacktest(backtestOf(steady, { costs }));
    // Bought at the open after the 300th close, at 1,299, and valued at the last close.
    // Each side costs 0.02 of spread and 0.03 of commission.
    const cost = 0.0005 * (1_299 + 1_359);
    expect(hold.return_percent).toBeCloseTo((100 * (1_359 - 1_299 - cost)) / 1_299, 9);
  });

  it("takes no trade whose costs are too large a share of its risk, by any strategy", async () => {
    const share = ({ entry, stop_loss }: { entry: number; stop_loss: number }) =>
      (entry * 0.0011) / Math.abs(entry - stop_loss);
    const { trades, analyst } = report;
    expect(trades.length).toBeGreaterThan(5);
    expect(Math.max(...trades.map(share))).toBeLessThanOrEqual(0.15);
    const costs = { spread_percent: 5, commission_percent: 5 };
    const none = await runBacktest(backtestOf(candles, { costs }));
    expect(none.trades).toEqual([]);
    expect(none.analyst.waits).toBe(none.analyst.asked);
    expect(analyst.waits).toBeLessThan(analyst.asked);
    expect(none.atr_rule.trades).toBe(0);
  });

  it("holds what was walked before it was stopped", async () => {
    const controller = new AbortController();
    let bars = 0;
    const onBar = () => {
      bars += 1;
      if (bars === 50) controller.abort();
    };
    const stopped = await runBacktest({
      ...backtestOf(candles),
      abort: controller.signal,
      onBar,
    });
    expect(stopped).toMatchObject({ stopped_early: true, bars: 50 });
    expect(stopped.caveats[0]).toMatch(/^The run was stopped/);
  });

  it("goes on after an answer that failed, and gives up after five in a row", async () => {
    const input = backtestOf(candles, { repetitions: 1 });
    let calls = 0;
    const failing = (fails: (call: number) => boolean) => ({
      ...input.analyst,
      advise: (request: Parameters<typeof input.analyst.advise>[0]) => {
        calls += 1;
        if (!fails(calls)) return input.analyst.advise(request);
        // Not worth another try, so that the test need not wait for one.
        const reason = { provider: "test", failure: "unknown-symbol", message: "no" } as const;
        return Promise.reject(new ProviderError(reason));
      },
    });
    const { analyst } = await runBacktest({ ...input, analyst: failing((call) => call === 3) });
    expect(analyst.failed).toBe(1);
    await expect(runBacktest({ ...input, analyst: failing(() => true) })).rejects.toThrow("no");
  });
});
