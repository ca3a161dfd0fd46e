import type { Analysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { lastCandleClose } from "@shared/node/signals/analysis-key.ts";
import type { RunResult } from "@shared/node/signals/finish-runs.ts";
import { type AnalysisRun, startRuns } from "@shared/node/signals/start-runs.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";

/** An analysis without a trade. */
export const WAIT_ANALYSIS: Analysis = {
  final_signal: "WAIT",
  confidence: 40,
  entry: null,
  stop_loss: null,
  take_profit: null,
  warnings: [],
  suggested_hold: "No position",
  suggested_units: 0,
  estimated_dollar_risk: 0,
  required_margin: 0,
  trade_duration_text: "No trade",
  raw_ai: {
    confidence: 40,
    rationale: "Nothing speaks for either side.",
    key_evidence: [],
    market_condition: "Quiet",
    what_to_watch_for: [],
  },
  source: {
    data: "replay",
    provider: "replay",
    analyst: "rules",
    model: "rules",
    last_candle_at: null,
    price: null,
  },
};

/** Fields of signals that tests store, and of their analyses. */
export type SignalOverrides = Partial<SignalRecord> & { market?: Partial<MarketAnalysisRecord> };

/**
 * Stores signals of `user`, each with an idempotency key, without events. They are completed, with candles, unless
 * `overrides` says otherwise. Each has an analysis of its own, unless `withAnalysis` is false.
 */
export async function createSignals(
  database: Database,
  user: Pick<UserRecord, "_id">,
  {
    count = 1,
    withAnalysis = true,
    market = {},
    ...overrides
  }: SignalOverrides & { count?: number; withAnalysis?: boolean } = {},
): Promise<SignalRecord[]> {
  const signals = Array.from({ length: count }, () => ({ ...newSignal(user), ...overrides }));
  const completed = signals.filter((signal) => signal.status === "completed");
  const unfinished = signals.filter(({ status }) => status === "queued" || status === "running");
  await database.users.updateOne(
    { _id: user._id },
    { $inc: { unfinishedSignals: unfinished.length } },
  );
  await database.signals.insertMany(signals);
  if (withAnalysis) {
    await database.marketAnalyses.insertMany(
      signals.map((signal) => ({ ...analysisOf(signal), ...market })),
    );
    await database.analysisCandles.insertMany(
      completed.map(({ analysisId: _id }) => ({ _id, candles: [] })),
    );
  }
  await database.idempotencyKeys.insertMany(
    signals.map(({ _id }) => ({
      _id: `${user._id}:key-${_id}`,
      signalId: _id,
      createdAt: new Date(),
    })),
  );
  return signals;
}

/** A completed signal. */
export function newSignal(user: Pick<UserRecord, "_id">): SignalRecord {
  const now = new Date();
  return {
    _id: new Types.ObjectId(),
    userId: user._id,
    analysisId: new Types.ObjectId(),
    origin: "request",
    symbol: "BTC/USDT",
    timeframe: "1h",
    limit: 50,
    amount: 100,
    riskPercent: 1,
    leverage: 1,
    status: "completed",
    revision: 1,
    createdAt: now,
    updatedAt: now,
    analysis: WAIT_ANALYSIS,
  };
}

/** The analysis of a signal. */
export function analysisOf(signal: SignalRecord): MarketAnalysisRecord {
  const { analysisId, userId, symbol, timeframe, limit, status, revision, analysis } = signal;
  const isFinished = status === "completed" || status === "failed";
  const result = { analysis: analysis ?? WAIT_ANALYSIS, quoteToUsd: null, candlesSha256: null };
  return {
    ...{ _id: analysisId, symbol, timeframe, limit, status, revision },
    ...(isFinished ? { result, finishedAt: signal.finishedAt ?? signal.updatedAt } : { userId }),
    ...(signal.chartImageId && { chartImageId: signal.chartImageId }),
    candleClosedAt: lastCandleClose(timeframe, signal.createdAt),
    joinedSignals: 1,
    createdAt: signal.createdAt,
    updatedAt: signal.updatedAt,
  };
}

/** Starts a run of a signal's analysis, as a worker does that has locked its job; null if it is finished or deleted. */
export async function startRun(
  database: Database,
  { analysisId, userId }: Pick<SignalRecord, "analysisId" | "userId">,
): Promise<AnalysisRun | null> {
  const lockKeys = userStream(userId);
  const { runs } = await commit(database, { lockKeys }, (uow) =>
    startRuns(database, uow, [analysisId]),
  );
  return runs[0] ?? null;
}

/** A run that ended with `analysis`, or with a WAIT. */
export function runResult(
  status: RunResult["status"] = "completed",
  analysis: Analysis = WAIT_ANALYSIS,
): RunResult {
  return { status, result: { analysis, quoteToUsd: null, candlesSha256: null } };
}
