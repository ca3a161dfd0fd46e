import { instrumentClass } from "@shared/contract/instruments.ts";
import { type LedgerFigures, sha256Schema } from "@shared/contract/ledger.ts";
import { z } from "zod";
import type { SignalRecord } from "../models/signal.ts";

/** What is needed to record a signal; a cleared one has it too. */
export type Recordable = Pick<
  SignalRecord,
  "_id" | "symbol" | "timeframe" | "createdAt" | "updatedAt" | "finishedAt" | "analysis" | "receipt"
>;

/** A completed signal without an analysis cannot be: whoever stored it made a mistake. */
class IncompleteSignalError extends Error {
  override readonly name = "IncompleteSignalError";
}

/** The one thing of the receipt that the figures hold. */
const receiptSchema = z.object({ candles: z.object({ sha256: sha256Schema }) });

/**
 * The figures that a record commits to. They tell nothing of the trader, and are the same before and after his history
 * is cleared.
 */
export function figuresOf(signal: Recordable): LedgerFigures {
  const { analysis, finishedAt = signal.updatedAt } = signal;
  if (!analysis) throw new IncompleteSignalError(`signal ${signal._id} has no analysis`);
  const { source } = analysis;
  return {
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    class: instrumentClass(signal.symbol),
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
    candles_sha256: receiptSchema.safeParse(signal.receipt).data?.candles.sha256 ?? null,
    created_at: signal.createdAt.toISOString(),
    finished_at: finishedAt.toISOString(),
  };
}

/** What only the owner can be told: whose signal it is, what he asked for, and the whole of what he got. */
export function privateContentOf(
  signal: Pick<
    SignalRecord,
    "_id" | "userId" | "createdAt" | "limit" | "amount" | "riskPercent" | "leverage" | "analysis"
  >,
) {
  return {
    signal_id: signal._id.toString(),
    user_id: signal.userId.toString(),
    created_at: signal.createdAt.toISOString(),
    limit: signal.limit,
    amount: signal.amount,
    risk_percent: signal.riskPercent,
    leverage: signal.leverage,
    analysis: signal.analysis ?? null,
  };
}
