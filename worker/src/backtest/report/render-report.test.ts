import { beforeAll, describe, expect, it } from "vitest";
import { backtestOf, bitcoinCandles } from "../../testing/backtest-input.ts";
import { runBacktest } from "../run-backtest.ts";
import { niceTicks } from "./equity-chart.ts";
import { renderReport } from "./render-report.ts";
import type { BacktestReport } from "./report-schema.ts";

let report: BacktestReport;
beforeAll(async () => {
  report = await runBacktest(backtestOf(bitcoinCandles(120)));
});

describe("the HTML report", () => {
  it("needs nothing from anywhere", () => {
    const page = renderReport(report);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/https?:|\/\/|url\(|@import|<script|<img|<link|\bsrc=|\bhref=/i);
  });

  it("escapes whatever comes from a provider or a model", () => {
    const hostile = `<script>alert("1")</script>&'`;
    const page = renderReport({
      ...report,
      options: { ...report.options, symbol: hostile, from: "provider" },
      data: { ...report.data, provider: hostile },
      analyst: { ...report.analyst, name: "openai", model: hostile },
      caveats: [hostile],
      verdict: hostile,
    });
    expect(page).not.toContain("<script");
    expect(page.split("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;")).toHaveLength(
      7,
    );
  });

  it("says what was found: verdict, caveats, every trade, and the curves", () => {
    const page = renderReport(report);
    for (const text of [report.verdict, ...report.caveats]) {
      expect(page).toContain(text.replaceAll("'", "&#39;"));
    }
    const [, body = ""] = page.split('<table class="trades">');
    expect(body.split('<th scope="row">')).toHaveLength(report.trades.length + 1);
    const [, points = ""] = /<polyline class="analyst" points="([^"]+)"/.exec(page) ?? [];
    expect(points.split(" ")).toHaveLength(report.curves.times.length);
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it("is whole without a single trade", () => {
    const { counts } = report.figures;
    const none = { ...counts, decided: 0, wins: 0, losses: 0, expired: 0, pending: 0 };
    const nothing = { ...report.figures, counts: none, trades: 0, total_r: 0, result_usd: 0 };
    const flat = report.curves.times.map(() => 0);
    const page = renderReport({
      ...report,
      figures: nothing,
      trades: [],
      hold: { ...report.hold, percent_per_r: null, total_r: null },
      curves: { ...report.curves, analyst: flat, atr_rule: flat, hold: null, random: null },
    });
    expect(page).toContain("The analyst advised no trade.");
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the lines across a chart", () => {
  it.each([
    { low: -3.2, high: 8.1, ticks: [-2, 0, 2, 4, 6, 8] },
    { low: -0.53, high: 0.53, ticks: [-0.4, -0.2, 0, 0.2, 0.4] },
    { low: -40, high: 260, ticks: [0, 50, 100, 150, 200, 250] },
  ])("from $low to $high are at round numbers", ({ low, high, ticks }) => {
    const lines = niceTicks({ low, high });
    expect(lines).toHaveLength(ticks.length);
    lines.forEach((line, index) => {
      expect(line).toBeCloseTo(ticks[index] ?? Number.NaN, 9);
    });
  });
});
