import { instrumentClass } from "@shared/contract/instruments.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import type { MarketAnalysisRecord } from "../models/market-analysis.ts";

/**
 * The figures that the record of an analysis commits to. They contain nothing about a user.
 * @throws Error for an analysis without a result
 */
export function figuresOf(
  record: Pick<
    MarketAnalysisRecord,
    "_id" | "symbol" | "timeframe" | "createdAt" | "finishedAt" | "result"
  >,
): LedgerFigures {
  const { result, finishedAt } = record;
  if (!result || !finishedAt) throw new Error(`Analysis ${record._id} has no result.`);
  const { analysis, candlesSha256 } = result;
  const { source } = analysis;
  return {
    symbol: record.symbol,
    timeframe: record.timeframe,
    class: instrumentClass(record.symbol),
    final_signal: analysis.final_signal,
    entry: analysis.entry,
    stop_loss: analysis.stop_loss,
    take_profit: analysis.take_profit,
    confidence: analysis.confidence,
    calibrated_confidence: analysis.calibrated_confidence ?? null,
    suggested_hold: analysis.suggested_hold,
    hold_candles: analysis.hold_candles ?? null,
    valid_until: analysis.valid_until ?? null,
    analyst: source.analyst,
    analyst_version: source.analyst_version ?? null,
    model: source.model,
    data: source.data,
    provider: source.provider,
    price: source.price,
    last_candle_at: source.last_candle_at,
    candles_sha256: candlesSha256,
    created_at: record.createdAt.toISOString(),
    finished_at: finishedAt.toISOString(),
  };
}
