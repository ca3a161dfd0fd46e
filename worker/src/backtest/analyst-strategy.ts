import type { SizingInput } from "@shared/contract/position-size.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { generateSignal } from "../analysis/analyse-market.ts";
import type { Analyst } from "../analysis/analyst.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import { type BacktestRange, closeOf, tradeAt } from "./range.ts";
import { marketAsOf } from "./recorded-market.ts";
import type { Decision, Strategy } from "./simulate.ts";

/** After this many failures in a row, the remaining requests would fail as well. */
const MAX_FAILURES = 5;

export interface AnalystRecord {
  statements: { at: number; analysis: Analysis }[];
  failed: number;
}

/**
 * Requests advice at the close of a bar as a live signal does, with the market as it was then.
 * @throws ProviderError after five failures in a row
 */
export function analystStrategy(options: {
  course: BacktestRange;
  market: MarketData;
  analyst: Analyst;
  stake: SizingInput;
  costs: TradingCosts;
  limit: number;
  abort: AbortSignal;
}): { decide: Strategy; record: AnalystRecord } {
  const { course, market, stake, limit, abort } = options;
  const { symbol, timeframe } = course;
  const request = { symbol, timeframe, limit, ...stake };
  const record: AnalystRecord = { statements: [], failed: 0 };
  let failedInARow = 0;
  const ask = async (at: number): Promise<Analysis | null> => {
    const now = () => at;
    const marketData = marketAsOf(market, now);
    try {
      const { analysis } = await generateSignal({ ...options, request, marketData, now });
      failedInARow = 0;
      return analysis;
    } catch (error) {
      if (abort.aborted || !(error instanceof ProviderError)) throw error;
      record.failed += 1;
      failedInARow += 1;
      if (failedInARow >= MAX_FAILURES) throw error;
      return null;
    }
  };
  const decide = async (bar: number): Promise<Decision | null> => {
    const at = closeOf(course, bar);
    const analysis = await ask(at);
    if (!analysis) return null;
    record.statements.push({ at, analysis });
    const trade = advisedTrade(analysis, course, bar);
    const { confidence, estimated_dollar_risk: dollarRisk } = analysis;
    return trade && { trade, confidence, dollarRisk };
  };
  return { decide, record };
}

function advisedTrade(analysis: Analysis, course: BacktestRange, bar: number): Trade | null {
  const { final_signal: side, entry, stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (side === "WAIT" || entry === null || stopLoss === null || takeProfit === null) return null;
  const trade = tradeAt(course, bar);
  return {
    ...trade,
    ...{ side, entry, stopLoss, takeProfit },
    validUntil: analysis.valid_until ? Date.parse(analysis.valid_until) : trade.validUntil,
    holdCandles: holdLimit({
      candles: analysis.hold_candles ?? null,
      text: analysis.suggested_hold,
      timeframe: course.timeframe,
      from: trade.createdAt,
    }),
  };
}
