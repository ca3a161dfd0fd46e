import type { Candle } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { commit } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { updateTradeSignals } from "./update-trade-signals.ts";

/** Candles kept with an outcome at most, the latest of them. */
const MAX_CANDLES = 500;

/**
 * When the signals of a resolved analysis are checked again: some may be left if the worker crashed, or if a request
 * was answered from the analysis at that moment. Longer than a transaction may take, and less than the two minutes
 * within which an outcome is promised.
 */
const RECHECK_MS = 60_000;

interface OutcomeDeps {
  database: Database;
  now: () => Date;
}

/**
 * Stores the outcome of an analysis, with the candles that show it, and tells the users of its signals. An analysis is
 * resolved once: a later outcome is ignored.
 */
export async function commitOutcome(
  { database, now }: OutcomeDeps,
  analysisId: Types.ObjectId,
  { judgement, candles }: { judgement: Resolution; candles: readonly Candle[] },
): Promise<void> {
  const { outcome } = judgement;
  const isNew = await commit(
    database,
    { lockKeys: `analysis:${analysisId}`, now },
    async ({ session, at }) => {
      const resolveAt = new Date(at.getTime() + RECHECK_MS);
      const { matchedCount } = await database.marketAnalyses.updateOne(
        { _id: analysisId, status: "completed", outcome: { $exists: false } },
        { $set: { outcome, judgement, resolveAt, updatedAt: at } },
        { session },
      );
      if (matchedCount === 0) return false;
      const shown = candles.slice(-MAX_CANDLES);
      await database.outcomeCandles.create([{ _id: analysisId, candles: shown }], { session });
      return true;
    },
  );
  if (isNew) await shareOutcome(database, analysisId, judgement);
}

/** Sets the outcome of an analysis on its signals, and tells their users. */
async function shareOutcome(
  database: Database,
  analysisId: Types.ObjectId,
  { outcome, resolved_at }: Resolution,
): Promise<void> {
  await updateTradeSignals(database, analysisId, {
    filter: { outcome: { $exists: false } },
    set: { outcome },
    announce: ({ addEvent }, { stream, signalId }) =>
      addEvent(stream, "signal:outcome", { signal_id: signalId, outcome, resolved_at }),
  });
}

/** Shares the outcome of an analysis with the signals that do not have it yet. It needs no further check then. */
export async function finishOutcome(
  { database }: Pick<OutcomeDeps, "database">,
  { _id, judgement }: Pick<MarketAnalysisRecord, "_id" | "judgement">,
): Promise<void> {
  if (judgement) await shareOutcome(database, _id, judgement);
  await database.marketAnalyses.updateOne({ _id }, { $unset: { resolveAt: 1 } });
}
