import type { Resolution } from "@shared/contract/resolution.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Analysis, Outcome } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import {
  type AnalysisRun,
  type RunResult,
  startRuns,
} from "../../worker/src/signals/signal-lifecycle.ts";
import { insertAll } from "./factories.ts";

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

type SignalOverrides = Partial<SignalRecord> & { market?: Partial<MarketAnalysisRecord> };

/**
 * Stores signals of `user` with idempotency keys, without events. By default they are completed, with candles and an
 * analysis each.
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
  if (unfinished.length > 0) {
    await database.users.updateOne(
      { _id: user._id },
      { $inc: { unfinishedSignals: unfinished.length } },
    );
  }
  await insertAll(database.signals, signals);
  if (withAnalysis) {
    await insertAll(
      database.marketAnalyses,
      signals.map((signal) => ({ ...analysisOf(signal), ...market })),
    );
    const noCandles = packCandles([]);
    await insertAll(
      database.analysisCandles,
      completed.map(({ analysisId: _id }) => ({ _id, ...noCandles })),
    );
  }
  await insertAll(
    database.idempotencyKeys,
    signals.map(({ _id }) => ({
      _id: `${user._id}:key-${_id}`,
      signalId: _id,
      createdAt: new Date(),
    })),
  );
  return signals;
}

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

export function analysisOf(signal: SignalRecord): MarketAnalysisRecord {
  const { analysisId, userId, symbol, timeframe, limit, status, revision, analysis } = signal;
  const isFinished = status === "completed" || status === "failed";
  const result = { analysis: analysis ?? WAIT_ANALYSIS, quoteToUsd: null, candlesSha256: null };
  return {
    _id: analysisId,
    symbol,
    timeframe,
    limit,
    status,
    revision,
    ...(isFinished ? { result, finishedAt: signal.finishedAt ?? signal.updatedAt } : { userId }),
    ...(signal.chartImageId && { chartImageId: signal.chartImageId }),
    candleClosedAt: lastCandleClose(timeframe, signal.createdAt),
    joinedSignals: 1,
    createdAt: signal.createdAt,
    updatedAt: signal.updatedAt,
  };
}

/** Starts a run of a signal's analysis, like a worker; null if it is finished or deleted. */
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

export function runResult(
  status: RunResult["status"] = "completed",
  analysis: Analysis = WAIT_ANALYSIS,
): RunResult {
  return { status, result: { analysis, quoteToUsd: null, candlesSha256: null } };
}

interface Trade {
  at: Date;
  confidence?: number;
  calibrated?: number | null;
  source?: Partial<Analysis["source"]>;
}

interface ResolvedTrade extends Trade {
  outcome: Outcome;
  resolvedAt: Date;
  reason?: Resolution["reason"];
  /** In R; by default the distance of the target, -1 or 0. */
  r?: number | null;
}

const ENTRY = 100;
const RISK = 2;
const REWARD_TO_RISK = 2;

/** A pending BUY at 100 with stop 98, of live data and the rule-based analyst. */
export function pendingTrade(trade: Trade): SignalOverrides {
  const { at, confidence = 70, calibrated = null, source } = trade;
  const analysis: Analysis = {
    ...WAIT_ANALYSIS,
    final_signal: "BUY",
    confidence,
    calibrated_confidence: calibrated,
    entry: ENTRY,
    stop_loss: ENTRY - RISK,
    take_profit: ENTRY + RISK * REWARD_TO_RISK,
    source: { ...WAIT_ANALYSIS.source, data: "live", analyst_version: "rules/1", ...source },
  };
  return { status: "completed", createdAt: at, finishedAt: at, updatedAt: at, analysis };
}

export function resolvedTrade(trade: ResolvedTrade): SignalOverrides {
  const { outcome, resolvedAt } = trade;
  const reasons = { WIN: "target", LOSS: "stop", EXPIRED: "hold-over" } as const;
  const results = { WIN: REWARD_TO_RISK, LOSS: -1, EXPIRED: 0 };
  const { reason = reasons[outcome], r = results[outcome] } = trade;
  const isFilled = reason !== "not-filled";
  const time = resolvedAt.toISOString();
  const resolution: Resolution = {
    outcome,
    reason,
    resolved_at: time,
    filled_at: isFilled ? trade.at.toISOString() : null,
    fill: isFilled ? ENTRY : null,
    exited_at: isFilled ? time : null,
    exit: isFilled && r !== null ? ENTRY + r * RISK : null,
    r_multiple: isFilled ? r : null,
    max_favourable_r: null,
    max_adverse_r: null,
    costs: DEFAULT_TRADING_COSTS.crypto,
  };
  return {
    ...pendingTrade(trade),
    outcome,
    updatedAt: resolvedAt,
    market: { outcome, resolution },
  };
}

let ledgerSeq = 0;

/** Stores a BUY at 100 with stop 95 and target 110, recorded in the ledger and due to be resolved. */
export async function storeTrade(
  database: Database,
  user: UserRecord,
  { madeAt, analysis, market, ...fields }: SignalOverrides & { madeAt: Date },
): Promise<SignalRecord> {
  ledgerSeq += 1;
  const [signal] = await createSignals(database, user, {
    symbol: "MADE/USDT",
    createdAt: madeAt,
    finishedAt: madeAt,
    market: { resolveAt: madeAt, ledgerSeq, ...market },
    analysis: analysis ?? tradeAnalysis(madeAt),
    ...fields,
  });
  if (!signal) throw new Error("no signal was stored");
  return signal;
}

export function tradeAnalysis(madeAt: Date, changes: Partial<Analysis> = {}): Analysis {
  return {
    ...WAIT_ANALYSIS,
    final_signal: "BUY",
    entry: 100,
    stop_loss: 95,
    take_profit: 110,
    suggested_hold: "6 candles",
    source: {
      ...WAIT_ANALYSIS.source,
      data: "live",
      provider: "scripted",
      last_candle_at: madeAt.toISOString(),
      price: 100,
    },
    ...changes,
  };
}
