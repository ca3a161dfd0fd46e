import type { Candle } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { commit } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { updateTradeSignals } from "./update-trade-signals.ts";

const MAX_CANDLES = 500;

/**
 * Signals may be left after a crash or a concurrent request. Longer than a transaction, shorter than the promised two
 * minutes.
 */
const RECHECK_MS = 60_000;

interface OutcomeDeps {
  database: Database;
  now: () => Date;
}

/** Stores the outcome of an analysis once, with its candles, and publishes it for its signals. */
export async function commitOutcome(
  { database, now }: OutcomeDeps,
  analysisId: Types.ObjectId,
  { resolution, candles }: { resolution: Resolution; candles: readonly Candle[] },
): Promise<void> {
  const { outcome } = resolution;
  const isNew = await commit(
    database,
    { lockKeys: `analysis:${analysisId}`, now },
    async ({ session, at }) => {
      const resolveAt = new Date(at.getTime() + RECHECK_MS);
      const { matchedCount } = await database.marketAnalyses.updateOne(
        { _id: analysisId, status: "completed", outcome: { $exists: false } },
        { $set: { outcome, resolution, resolveAt, updatedAt: at } },
        { session },
      );
      if (matchedCount === 0) return false;
      const shown = candles.slice(-MAX_CANDLES);
      await database.outcomeCandles.create([{ _id: analysisId, candles: shown }], { session });
      return true;
    },
  );
  if (isNew) await shareOutcome(database, analysisId, resolution);
}

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

/** Publishes the outcome for signals that do not have it yet. */
export async function finishOutcome(
  { database }: Pick<OutcomeDeps, "database">,
  { _id, resolution }: Pick<MarketAnalysisRecord, "_id" | "resolution">,
): Promise<void> {
  if (resolution) await shareOutcome(database, _id, resolution);
  await database.marketAnalyses.updateOne({ _id }, { $unset: { resolveAt: 1 } });
}
