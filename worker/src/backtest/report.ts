import { analystNameSchema, timeframeSchema } from "@shared/contract/market-data.ts";
import { performanceSchema } from "@shared/contract/performance.ts";
import { resolutionSchema, tradingCostsSchema } from "@shared/contract/resolution.ts";
import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";

/** Increased whenever a field changes its meaning or is removed. */
export const REPORT_VERSION = 3;

const count = z.number().int().nonnegative();
const time = z.iso.datetime();

const candleOriginSchema = z.enum(["recorded", "csv", "provider"]);

const backtestOptionsSchema = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  analyst: analystNameSchema,
  from: candleOriginSchema,
  bars: count,
  warm_up: count,
  every: count,
  limit: count,
  amount: z.number(),
  risk_percent: z.number(),
  leverage: z.number(),
  costs: tradingCostsSchema,
  seed: z.number().int(),
  repetitions: count,
});
export type BacktestOptions = z.infer<typeof backtestOptionsSchema>;

const metricsSchema = performanceSchema
  .pick({
    counts: true,
    win_rate: true,
    no_edge_rate: true,
    lift: true,
    break_even_edge: true,
    edge_bounds: true,
    more_trades_to_know: true,
    baseline_brier: true,
    brier_skill: true,
    trades: true,
    effective_trades: true,
    expectancy_r: true,
    profit_factor: true,
    max_drawdown_r: true,
    total_r: true,
  })
  .extend({ result_usd: z.number() });
export type StrategyMetrics = z.infer<typeof metricsSchema>;

/** Mean of the repetitions, and the range of nine of ten of them. */
const bandSchema = z.object({ mean: z.number(), low: z.number(), high: z.number() });
export type ChanceBand = z.infer<typeof bandSchema>;

const chanceSchema = z.object({
  repetitions: count,
  trades: bandSchema.nullable(),
  win_rate: bandSchema.nullable(),
  expectancy_r: bandSchema.nullable(),
  total_r: bandSchema.nullable(),
  result_usd: bandSchema.nullable(),
  max_drawdown_r: bandSchema.nullable(),
  /** Share of the repetitions with at least as many R as the analyst. */
  as_good_share: z.number().min(0).max(1).nullable(),
});
export type ChanceMetrics = z.infer<typeof chanceSchema>;

const holdSchema = z.object({
  return_percent: z.number(),
  max_drawdown_percent: z.number(),
  percent_per_r: z.number().nullable(),
  total_r: z.number().nullable(),
});
export type HoldMetrics = z.infer<typeof holdSchema>;

const curvesSchema = z.object({
  times: z.array(time),
  analyst: z.array(z.number()),
  atr_rule: z.array(z.number()),
  hold: z.array(z.number()).nullable(),
  random: z.array(bandSchema).nullable(),
});
export type EquityCurves = z.infer<typeof curvesSchema>;

const statementSchema = z.object({
  at: time,
  signal: signalKindSchema,
  confidence: z.number(),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
});

const tradeSchema = z.object({
  at: time,
  side: z.enum(["BUY", "SELL"]),
  confidence: z.number().nullable(),
  price: z.number(),
  entry: z.number(),
  stop_loss: z.number(),
  take_profit: z.number(),
  dollar_risk: z.number(),
  cost_r: z.number().nullable(),
  judgement: resolutionSchema.nullable(),
});
export type ReportedTrade = z.infer<typeof tradeSchema>;

export const backtestReportSchema = z.object({
  version: z.literal(REPORT_VERSION),
  made_at: time,
  product_version: z.string(),
  options: backtestOptionsSchema,
  data: z.object({
    provider: z.string(),
    candles: count,
    first_candle_at: time,
    from: time,
    to: time,
  }),
  analyst: z.object({
    name: z.string(),
    version: z.string().nullable(),
    model: z.string().nullable(),
    asked: count,
    waits: count,
    failed: count,
    calls: z.object({ made: count, kept: count }).nullable(),
  }),
  bars: count,
  stopped_early: z.boolean(),
  caveats: z.array(z.string()),
  verdict: z.string(),
  figures: metricsSchema,
  confidence: performanceSchema.shape.confidence,
  atr_rule: metricsSchema,
  random: chanceSchema,
  hold: holdSchema,
  curves: curvesSchema,
  trades: z.array(tradeSchema),
  statements: z.array(statementSchema),
});
export type BacktestReport = z.infer<typeof backtestReportSchema>;

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
}).format;

/** The lines of a summary. */
export function describeReport(report: BacktestReport): string[] {
  const { options, analyst, figures, atr_rule: rule, random, hold, verdict } = report;
  const { counts } = figures;
  const { total_r: band } = random;
  const calls = analyst.calls
    ? ` (${analyst.calls.made} calls, ${analyst.calls.kept} answers kept from before)`
    : "";
  const trades = `${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired, ${counts.not_filled} not filled`;
  return [
    `${options.symbol} ${options.timeframe}, ${report.data.from} to ${report.data.to}`,
    `${analyst.name} was asked at ${analyst.asked} of ${report.bars} closes${calls}: ${trades}.`,
    `Analyst ${signed(figures.total_r)} R (${signed(figures.result_usd)} USD), ATR rule ${signed(rule.total_r)} R, holding ${signed(hold.return_percent)}%.`,
    ...(band
      ? [
          `Random entries ${signed(band.mean)} R on average, 90% of them between ${signed(band.low)} and ${signed(band.high)}.`,
        ]
      : []),
    verdict,
    ...report.caveats.map((caveat) => `- ${caveat}`),
  ];
}
