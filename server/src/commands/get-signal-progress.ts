import { type Candle, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { SignalSince } from "@shared/contract/signal-page.ts";
import type { Database } from "@shared/node/database.ts";
import { marketKey } from "@shared/node/models/outcome-candles.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import type { ServerDeps } from "../server-deps.ts";
import { findSignal } from "./find-signal.ts";

const MAX_CANDLES = 500;

/**
 * What has happened since a signal was made, for its owner or an administrator.
 * @throws AppError `not-found`
 */
export async function getSignalProgress(
  { database }: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id" | "role">,
  id: unknown,
): Promise<SignalSince> {
  const signal = await findSignal({ database }, user.role === "admin" ? null : user, id);
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    ...(await readProgress(database, signal)),
    shared_at: signal.sharedAt?.toISOString() ?? null,
  };
}

/** How the trade of a signal was resolved, and the closed candles since its analysis was made. */
export interface SignalProgress {
  /** Null while it is open. */
  judgement: Judgement | null;
  /**
   * Oldest first, the one in which the analysis was made included: those by which the trade was resolved; until then,
   * what the workers last read of the market.
   */
  candles: Candle[];
}

/** The progress of a signal; empty for one that offers no trade. */
export async function readProgress(
  database: Database,
  { analysis, analysisId, status, symbol, timeframe }: SignalRecord,
): Promise<SignalProgress> {
  const isTrade = status === "completed" && analysis && analysis.final_signal !== "WAIT";
  const made = isTrade
    ? await database.marketAnalyses
        .findById(analysisId)
        .select({ judgement: 1, finishedAt: 1 })
        .lean()
    : null;
  if (!isTrade || !made?.finishedAt) return { judgement: null, candles: [] };
  if (made.judgement) {
    const stored = await database.outcomeCandles.findById(analysisId).lean();
    return { judgement: made.judgement, candles: stored?.candles ?? [] };
  }
  const { data, provider } = analysis.source;
  const key = marketKey({ data, provider, symbol, timeframe });
  const market = await database.marketCandles.findById(key).lean();
  const madeAt = made.finishedAt.getTime();
  const since = market?.candles.filter(({ time }) => time + TIMEFRAME_MS[timeframe] > madeAt) ?? [];
  return { judgement: null, candles: since.slice(0, MAX_CANDLES) };
}
