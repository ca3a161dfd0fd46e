import type { BacktestReport } from "../../worker/src/backtest/report/report-schema.ts";

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
}).format;

/** A report in a few lines; the rest is in its files. */
export function describeReport(report: BacktestReport): string[] {
  const { options, analyst, figures, atr_rule: rule, random, hold, verdict } = report;
  const { counts } = figures;
  const { total_r: band } = random;
  const asked = `${analyst.name} was asked at ${analyst.asked} of ${report.bars} closes`;
  const calls = analyst.calls
    ? ` (${analyst.calls.made} calls, ${analyst.calls.kept} answers kept from before)`
    : "";
  return [
    `${options.symbol} ${options.timeframe}, ${report.data.from} to ${report.data.to}`,
    `${asked}${calls}: ${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired, ${counts.not_filled} not filled.`,
    `Analyst ${signed(figures.total_r)} R (${signed(figures.result_usd)} USD), ATR rule ${signed(rule.total_r)} R, holding ${signed(hold.return_percent)}%.`,
    ...(band
      ? [
          `Random entries ${signed(band.mean)} R on average, 90% of them between ${signed(band.low)} and ${signed(band.high)}.`,
        ]
      : []),
    verdict,
  ];
}
