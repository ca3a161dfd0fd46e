import { describe, expect, it } from "vitest";
import { backtestOf, bitcoinCandles } from "../testing/backtest-input.ts";
import type { BacktestReport } from "./report.ts";
import { caveatsFor, runBacktest, verdictOn } from "./run-backtest.ts";

const report = await runBacktest(backtestOf(bitcoinCandles(120), { repetitions: 5 }));
const between = (low: number, high: number) => ({ value: (low + high) / 2, low, high });

const RANDOM = "Random entries with the same levels did as well or better in 63% of the runs.";

/** An edge, and bounds of it that hold however often one looks. */
const edge = (low: number, high: number) => ({
  lift: between(low, high),
  edge_bounds: { low, high },
});

const verdictFor = (figures: Partial<BacktestReport["figures"]>) =>
  verdictOn({
    figures: {
      ...report.figures,
      trades: 60,
      effective_trades: 45,
      expectancy_r: null,
      ...edge(-0.1, 0.14),
      break_even_edge: 0.01,
      ...figures,
    },
    random: { ...report.random, as_good_share: 0.63 },
  });

describe("the verdict on a backtest", () => {
  it.each([
    {
      name: "worse than chance",
      figures: { ...edge(-0.2, -0.04) },
      text: `Worse than chance: an edge of −12.0 percentage points (−20.0 to −4.0 however often one looks; break-even at +1.0). ${RANDOM}`,
    },
    {
      name: "no edge, and a loss",
      figures: { expectancy_r: between(-0.4, -0.1) },
      text:
        "Not shown to be better than chance after costs: an edge of +2.0 percentage points (−10.0 to +14.0 however often one looks; break-even at +1.0). " +
        `A losing strategy here: −0.25 R per trade after costs (95% interval −0.40 R to −0.10 R). ${RANDOM}`,
    },
    {
      name: "no edge, although it earned more than most random runs",
      figures: { total_r: 90, expectancy_r: between(0.1, 0.3) },
      text: `Not shown to be better than chance after costs: an edge of +2.0 percentage points (−10.0 to +14.0 however often one looks; break-even at +1.0). ${RANDOM}`,
    },
    {
      name: "an edge",
      figures: { ...edge(0.02, 0.1) },
      text: `Better than chance after costs: an edge of +6.0 percentage points (+2.0 to +10.0 however often one looks; break-even at +1.0). ${RANDOM}`,
    },
    {
      name: "too few independent trades",
      figures: { effective_trades: 12 },
      text: `Not enough data yet: 12 of at least 30 independent trades. ${RANDOM}`,
    },
    {
      name: "no trade",
      figures: { trades: 0 },
      text: "No trade was closed, so there is nothing to compare.",
    },
  ])("states $name", ({ figures, text }) => {
    expect(verdictFor(figures)).toBe(text);
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
