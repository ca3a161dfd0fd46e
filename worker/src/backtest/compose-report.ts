import { tradeCost } from "@shared/contract/trading-costs.ts";
import { figuresOf } from "@shared/stats/figures.ts";
import type { AnalystRecord } from "./analyst-strategy.ts";
import type { HoldResult } from "./buy-and-hold.ts";
import { caveatsFor, verdictOn } from "./caveats.ts";
import { chanceFigures } from "./chance-band.ts";
import { type Course, candleAt, closeOf } from "./course.ts";
import { equityCurves } from "./equity-curves.ts";
import {
  type BacktestReport,
  backtestReportSchema,
  REPORT_VERSION,
  type ReportedTrade,
  type StrategyFigures,
} from "./report/report-schema.ts";
import type { BacktestInput } from "./run-backtest.ts";
import { resultUsd, tallyTrades } from "./strategy-figures.ts";
import type { WalkedTrade } from "./walk-market.ts";

interface Walked {
  input: BacktestInput;
  /** As far as it was walked. */
  course: Course;
  record: AnalystRecord;
  trades: WalkedTrade[];
  atrRuleTrades: WalkedTrade[];
  runs: WalkedTrade[][];
  hold: HoldResult;
}

/** All that a backtest found, in the form of its report. */
export function composeReport(walked: Walked): BacktestReport {
  const { input, course, record, trades, atrRuleTrades, runs, hold } = walked;
  const figures = figuresOfTrades(trades);
  const reported = {
    options: input.options,
    bars: course.lastBar - course.firstBar + 1,
    analyst: describeAnalyst(walked),
    figures,
    random: chanceFigures(runs, { totalR: figures.total_r }),
    hold: describeHold(hold),
    trades: trades.map(reportTrade),
    stopped_early: course.lastBar < input.course.lastBar,
  };
  return backtestReportSchema.parse({
    version: REPORT_VERSION,
    made_at: isoTime(input.now()),
    product_version: input.productVersion,
    ...reported,
    data: describeData(course),
    caveats: caveatsFor(reported),
    verdict: verdictOn(reported),
    confidence: figuresOf(tallyTrades(trades)).confidence,
    atr_rule: figuresOfTrades(atrRuleTrades),
    curves: equityCurves({ hold, trades, atrRuleTrades, runs }),
    statements: reportStatements(record),
  });
}

const isoTime = (at: number): string => new Date(at).toISOString();

function figuresOfTrades(trades: readonly WalkedTrade[]): StrategyFigures {
  return { ...figuresOf(tallyTrades(trades)), result_usd: resultUsd(trades) };
}

function describeData(course: Course): BacktestReport["data"] {
  const { series, firstBar, lastBar } = course;
  return {
    provider: series.provider,
    candles: series.candles.length,
    first_candle_at: isoTime(candleAt(course, 0).time),
    from: isoTime(closeOf(course, firstBar)),
    to: isoTime(closeOf(course, lastBar)),
  };
}

function describeAnalyst({ input, record }: Walked): BacktestReport["analyst"] {
  const { statements, failed, source } = record;
  const { cacheUse } = input;
  return {
    name: input.analyst.name,
    version: source?.analyst_version ?? null,
    model: source?.model ?? null,
    asked: statements.length + failed,
    waits: statements.filter(({ analysis }) => analysis.final_signal === "WAIT").length,
    failed,
    calls: cacheUse && { made: cacheUse.asked, kept: cacheUse.kept },
  };
}

function describeHold(hold: HoldResult): BacktestReport["hold"] {
  const { returnPercent, maxDrawdownPercent, percentPerR } = hold;
  return {
    return_percent: returnPercent,
    max_drawdown_percent: maxDrawdownPercent,
    percent_per_r: percentPerR,
    total_r: percentPerR === null ? null : returnPercent / percentPerR,
  };
}

function reportTrade({ trade, confidence, dollarRisk, judgement }: WalkedTrade): ReportedTrade {
  const { createdAt, side, price, entry, stopLoss, takeProfit } = trade;
  return {
    at: isoTime(createdAt),
    side,
    confidence,
    price,
    entry,
    stop_loss: stopLoss,
    take_profit: takeProfit,
    dollar_risk: dollarRisk,
    cost_r: costInR({ trade, judgement }),
    judgement,
  };
}

function costInR({ trade, judgement }: Pick<WalkedTrade, "trade" | "judgement">): number | null {
  if (!judgement || judgement.fill === null || judgement.exit === null) return null;
  const { fill, exit, costs } = judgement;
  return tradeCost({ fill, exit }, costs) / Math.abs(trade.entry - trade.stopLoss);
}

const reportStatements = ({ statements }: AnalystRecord): BacktestReport["statements"] =>
  statements.map(({ at, analysis }) => ({
    at: isoTime(at),
    signal: analysis.final_signal,
    confidence: analysis.confidence,
    entry: analysis.entry,
    stop_loss: analysis.stop_loss,
    take_profit: analysis.take_profit,
  }));
