import type { MarketData } from "../providers/market-data.ts";
import type { Analyst } from "../signals/analyst.ts";
import { analystStrategy } from "./analyst-strategy.ts";
import { atrOfBars } from "./atr-of-bars.ts";
import { atrRule } from "./atr-rule.ts";
import { buyAndHold } from "./buy-and-hold.ts";
import type { CacheUse } from "./cached-analyst.ts";
import { composeReport } from "./compose-report.ts";
import type { Course } from "./course.ts";
import { createJudge } from "./create-judge.ts";
import { randomEntries } from "./random-entries.ts";
import type { BacktestOptions, BacktestReport } from "./report/report-schema.ts";
import { walkMarket } from "./walk-market.ts";

export interface BacktestInput {
  options: BacktestOptions;
  course: Course;
  /** What the signals may ask, cut off at the close of each bar. */
  market: MarketData;
  /** Where finer candles come from, which tell the judge what came first. */
  finerMarket: MarketData;
  analyst: Analyst;
  /** Of an analyst whose answers are kept. */
  cacheUse: CacheUse | null;
  /** Unix ms, for the report. */
  now: () => number;
  productVersion: string;
  /** Ends the walk; what was walked so far is still compared and reported. */
  abort: AbortSignal;
  onBar?: () => void;
  onRepetition?: () => void;
}

/**
 * Walks recorded candles through the product's own way to a signal, judges what comes of it, and compares it with random
 * entries of the same levels, with an ATR rule and with holding.
 * @throws ProviderError if the analyst fails for good; the reason of `abort` if that fires before the first bar
 */
export async function runBacktest(input: BacktestInput): Promise<BacktestReport> {
  const { options, market, finerMarket, analyst, abort, onBar, onRepetition } = input;
  const { every, limit, amount, risk_percent: riskPercent, leverage, costs } = options;
  const { seed, repetitions } = options;
  const stake = { amount, riskPercent, leverage };
  // The comparisons are made of what was walked, so they go on after a stop.
  const unhurried = new AbortController().signal;
  const judge = createJudge({ course: input.course, finerMarket, costs, abort: unhurried });
  const asked = { course: input.course, market, analyst, stake, costs, limit, abort };
  const { decide, record } = analystStrategy(asked);
  const walked = { course: input.course, decide, judge, every, abort };
  const walk = await walkMarket({ ...walked, ...(onBar && { onBar }) });
  const course = { ...input.course, lastBar: walk.lastBar };
  const atrAt = atrOfBars(course);
  const rule = await walkMarket({
    course,
    decide: atrRule({ course, stake, costs, atrAt }),
    judge,
    every,
  });
  const chance = { course, trades: walk.trades, stake, costs, atrAt, judge, repetitions, seed };
  const runs = await randomEntries({ ...chance, ...(onRepetition && { onRepetition }) });
  return composeReport({
    input,
    course,
    record,
    trades: walk.trades,
    atrRuleTrades: rule.trades,
    runs,
    hold: buyAndHold({ course, trades: walk.trades, costs }),
  });
}
