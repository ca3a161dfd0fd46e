import type { Analysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { startRuns } from "@shared/node/signals/signal-lifecycle.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";

/** A judgement as good as any. */
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

/**
 * Stores signals of `user`, each with an idempotency key, without events. They are completed, with candles;
 * `overrides` says otherwise.
 */
export async function createSignals(
  database: Database,
  user: Pick<UserRecord, "_id">,
  { count = 1, ...overrides }: Partial<SignalRecord> & { count?: number } = {},
): Promise<SignalRecord[]> {
  const now = new Date();
  const signals = Array.from({ length: count }, (): SignalRecord => {
    return {
      _id: new Types.ObjectId(),
      userId: user._id,
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
      ...overrides,
    };
  });
  const completed = signals.filter((signal) => signal.status === "completed");
  const unfinished = signals.filter(({ status }) => status === "queued" || status === "running");
  await database.users.updateOne(
    { _id: user._id },
    { $inc: { unfinishedSignals: unfinished.length } },
  );
  await database.signals.insertMany(signals);
  await database.signalCandles.insertMany(completed.map(({ _id }) => ({ _id, candles: [] })));
  await database.idempotencyKeys.insertMany(
    signals.map(({ _id }) => ({ _id: `${user._id}:key-${_id}`, signalId: _id, createdAt: now })),
  );
  return signals;
}

/** Starts a run of a signal, as a worker does that has locked its job; null if it is finished or deleted. */
export async function startRun(
  database: Database,
  { _id, userId }: Pick<SignalRecord, "_id" | "userId">,
): Promise<SignalRecord | null> {
  const lockKeys = userStream(userId);
  const [run] = await commit(database, { lockKeys }, (uow) => startRuns(database, uow, [_id]));
  return run ?? null;
}
