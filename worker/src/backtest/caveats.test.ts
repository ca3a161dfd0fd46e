import { describe, expect, it } from "vitest";
import { caveatsFor, verdictOn } from "./caveats.ts";
import type { BacktestReport } from "./report/report-schema.ts";
import { runBacktest } from "./run-backtest.ts";
import { backtestOf, bitcoinCandles } from "./testing/recorded-course.ts";

const report = await runBacktest(backtestOf(bitcoinCandles(120), { repetitions: 5 }));
const between = (low: number, high: number) => ({ value: (low + high) / 2, low, high });

/** What is said of these figures, where nine of ten random runs end between -20 and +10 R, and 63 % do as well. */
const verdictFor = (figures: Partial<BacktestReport["figures"]>) =>
  verdictOn({
    figures: { ...report.figures, trades: 60, expectancy_r: null, lift: null, ...figures },
    random: {
      ...report.random,
      total_r: { mean: -5, low: -20, high: 10 },
      as_good_share: 0.63,
    },
  });

describe("the verdict on a backtest", () => {
  it("calls a strategy losing whose whole interval is below 0, even if random entries lose as much", () => {
    expect(verdictFor({ total_r: -15, expectancy_r: between(-0.4, -0.1) })).toBe(
      "A losing strategy here: −0.25 R per trade after costs (95% interval −0.40 R to −0.10 R). " +
        "Compared with chance, in 63% of the runs, random entries with the same levels did as well or better.",
    );
  });

  it("calls a strategy worse than chance whose edge is below 0 with its whole interval", () => {
    expect(verdictFor({ total_r: -15, lift: between(-0.2, -0.04) })).toMatch(
      /^Worse than chance here: an edge of −12\.0 pp \(95% interval −20\.0 pp to −4\.0 pp\); in 63% of the runs/,
    );
  });

  it.each([
    [{ total_r: 11, expectancy_r: between(0.1, 0.3) }, /^Better than chance here/],
    [{ total_r: -21 }, /^Worse than chance here: in 63%/],
    [
      { total_r: -5, expectancy_r: between(-0.2, 0.1), lift: between(-0.1, 0.1) },
      /^Not statistically different/,
    ],
    [{ trades: 0 }, /^No trade was closed/],
  ])("of %j begins %s", (figures, words) => {
    expect(verdictFor(figures)).toMatch(words);
  });
});

describe("the caveats of a backtest", () => {
  const caveatsOf = (changes: Partial<BacktestReport["options"]>) =>
    caveatsFor({ ...report, options: { ...report.options, ...changes } }).join("\n");

  it("call the product's own recordings in-sample for the rules, and no other candles", () => {
    expect(caveatsOf({ from: "recorded" })).toContain("In-sample");
    expect(caveatsOf({ from: "csv" })).not.toContain("In-sample");
    expect(caveatsOf({ from: "provider" })).not.toContain("In-sample");
    expect(caveatsOf({ analyst: "openai" })).not.toContain("In-sample");
  });

  it("give the mean of the costs that the trades paid", () => {
    const [trade] = report.trades;
    if (!trade) throw new Error("a trade is needed");
    const trades = [0.1, 0.4, null].map((cost_r) => ({ ...trade, cost_r }));
    expect(caveatsFor({ ...report, trades }).join("\n")).toContain(
      "Each trade pays 0.11% of the price in spread and commission, 0.25 R on average.",
    );
  });

  it("are based on the costs that were deducted from each result", () => {
    const won = report.trades.filter(({ judgement }) => judgement?.outcome === "WIN");
    expect(won.length).toBeGreaterThan(0);
    for (const { judgement, entry, stop_loss, cost_r } of won) {
      const moved = Math.abs((judgement?.exit ?? Number.NaN) - (judgement?.fill ?? Number.NaN));
      const gross = moved / Math.abs(entry - stop_loss);
      expect(judgement?.r_multiple).toBeCloseTo(gross - (cost_r ?? Number.NaN), 3);
    }
  });
});
