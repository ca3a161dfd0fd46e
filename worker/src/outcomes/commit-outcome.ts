import type { Candle } from "@shared/contract/market-data.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { type SignalRecord, UNFINISHED } from "@shared/database/models/signal.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import { updatePost } from "@shared/domain/telegram-channel.ts";
import { announceFill, announceOutcome } from "@shared/domain/trade-progress.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { Fill } from "@shared/outcomes/resolve-trade.ts";
import { WorkerStoppingError } from "@shared/work/work-handler.ts";
import type { QueryFilter, Types } from "mongoose";
import { batchesStop, MAX_USERS, writeAfterFanOuts } from "../signals/fan-out.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const MAX_CANDLES = 500;

/**
 * Signals may be left after a crash or a concurrent request. Longer than a transaction, shorter than the promised two
 * minutes.
 */
export const RECHECK_MS = 60_000;

type OutcomeDeps = Pick<WorkerDeps, "database" | "now"> & {
  /** False if no one looks at the candles of the trade. */
  keepsCandles?: boolean;
};

/** Stores the fill of an analysis once, and publishes it. */
export async function commitFill(
  { database }: Pick<OutcomeDeps, "database">,
  _id: Types.ObjectId,
  fill: Fill,
): Promise<void> {
  const absent = { $exists: false };
  await database.marketAnalyses.updateOne(
    { _id, filled: absent, outcome: absent },
    { $set: { filled: fill } },
  );
  // Another worker may have been first.
  const stored = await database.marketAnalyses.findById(_id).select({ filled: 1 }).lean();
  if (stored?.filled) await shareFill(database, _id, stored.filled);
}

interface SignalChange {
  /** Must not match changed signals. */
  filter: QueryFilter<SignalRecord>;
  set: Partial<SignalRecord>;
  announce(uow: UnitOfWork, signals: readonly TradeSignal[]): void;
}

type TradeSignal = Pick<SignalRecord, "_id" | "userId">;

/**
 * Changes the signals of a trade in batches, with one event for each batch. Call it again after a crash.
 * @returns the number of changed signals
 * @throws WorkerStoppingError if signals are left, after it has made the trade due for another worker
 */
export async function updateTradeSignals(
  database: Database,
  analysisId: Types.ObjectId,
  change: SignalChange,
): Promise<number> {
  const filter: QueryFilter<SignalRecord> = {
    analysisId,
    status: "completed",
    "analysis.final_signal": { $ne: "WAIT" },
    ...change.filter,
  };
  let total = 0;
  let isLarge = false;
  // Without it, each batch would look at all signals that are changed already.
  let from: QueryFilter<SignalRecord> = {};
  while (await database.signals.exists({ ...filter, ...from })) {
    if (batchesStop(database)) await leaveToOthers(database, analysisId);
    const write = () =>
      commit(database, { lockKeys: `analysis:${analysisId}` }, (uow) =>
        changeBatch(database, uow, { ...change, filter: { ...filter, ...from } }),
      );
    const changed: readonly TradeSignal[] = await (isLarge
      ? writeAfterFanOuts(database, write)
      : write());
    total += changed.length;
    isLarge = changed.length === MAX_USERS;
    const last = changed.at(-1);
    // The next check finds those that came in between.
    if (!last || !isLarge) break;
    from = { userId: { $gte: last.userId } };
  }
  return total;
}

async function leaveToOthers(database: Database, _id: Types.ObjectId): Promise<never> {
  const isChecked = { resolveAt: { $exists: true } };
  const atOnce = new Date(0);
  await database.marketAnalyses.updateOne({ _id, ...isChecked }, { $set: { resolveAt: atOnce } });
  throw new WorkerStoppingError();
}

async function changeBatch(
  { signals }: Database,
  uow: UnitOfWork,
  { filter, set, announce }: SignalChange,
): Promise<readonly TradeSignal[]> {
  const { session } = uow;
  const found = await signals
    .find(filter)
    .sort({ userId: 1 })
    .hint({ analysisId: 1, userId: 1 })
    .limit(MAX_USERS)
    .batchSize(MAX_USERS)
    .select({ userId: 1 })
    .session(session)
    .lean();
  const ids = { $in: found.map(({ _id }) => _id) };
  await signals.updateMany({ _id: ids }, { $set: set }, { session });
  announce(uow, found);
  return found;
}

/** Publishes the fill for signals that do not have it yet. */
export async function shareFill(
  database: Database,
  analysisId: Types.ObjectId,
  filled: Fill,
): Promise<void> {
  await updateTradeSignals(database, analysisId, {
    filter: { filled: { $exists: false }, outcome: { $exists: false } },
    set: { filled },
    announce: (uow, signals) => announceFill(uow, signals, filled),
  });
  await updatePost(database, analysisId, "filled");
}

/** What is known of a trade beside the candles. */
export interface DecidedTrade {
  analysisId: Types.ObjectId;
  /** Its published fill. */
  filled?: Fill | undefined;
  providerChange?: { provider: string; at: Date } | undefined;
}

/** Stores the outcome of an analysis once, with its candles, and publishes it for its signals. */
export async function commitOutcome(
  { database, now, keepsCandles = true }: OutcomeDeps,
  { analysisId, providerChange }: DecidedTrade,
  { candles, ...decided }: { resolution: Resolution; candles: readonly Candle[] },
): Promise<void> {
  const resolution = { ...decided.resolution, ...markChange(providerChange) };
  const { outcome } = resolution;
  const filled = fillOf(resolution);
  const isNew = await commit(
    database,
    { lockKeys: `analysis:${analysisId}`, groupCommit: true, now },
    async ({ session, at }) => {
      const resolveAt = new Date(at.getTime() + RECHECK_MS);
      const { matchedCount } = await database.marketAnalyses.updateOne(
        { _id: analysisId, status: "completed", outcome: { $exists: false }, ...ifFill(filled) },
        {
          $set: {
            ...{ outcome, resolution, ...(filled && { filled }), resolveAt, updatedAt: at },
            ...(!keepsCandles && { isCounted: false }),
          },
          $unset: { course: 1, shownResolution: 1 },
        },
        { session },
      );
      if (matchedCount === 0) return false;
      if (!keepsCandles) return true;
      const shown = { _id: analysisId, ...packCandles(candles.slice(-MAX_CANDLES)) };
      await database.outcomeCandles.create([shown], { session });
      return true;
    },
  );
  if (isNew) await shareOutcome(database, analysisId, resolution);
}

/** A published fill stays: another one is not committed over it. The next check starts from it. */
const ifFill = (filled: Fill | null) =>
  filled
    ? {
        $or: [
          { filled: { $exists: false } },
          { "filled.price": filled.price, "filled.at": filled.at },
        ],
      }
    : { filled: { $exists: false } };

const markChange = (change: DecidedTrade["providerChange"]): Partial<Resolution> =>
  change
    ? {
        provider: change.provider,
        provider_changed: true,
        provider_changed_at: change.at.toISOString(),
      }
    : {};

const fillOf = ({ fill, filled_at }: Resolution): Fill | null =>
  fill === null || filled_at === null ? null : { price: fill, at: new Date(filled_at) };

async function shareOutcome(
  database: Database,
  analysisId: Types.ObjectId,
  resolution: Resolution,
): Promise<void> {
  const { outcome } = resolution;
  const filled = fillOf(resolution);
  if (filled) await shareFill(database, analysisId, filled);
  await updateTradeSignals(database, analysisId, {
    // A signal that joined in between gets its fill first, at the next check.
    filter: { outcome: { $exists: false }, ...(filled && { filled: { $exists: true } }) },
    set: { outcome, ...(filled && { filled }) },
    announce: (uow, signals) => announceOutcome(uow, signals, resolution),
  });
  await updatePost(database, analysisId, "ended");
}

/** Publishes the outcome for signals that do not have it yet, until none is left that could still finish. */
export async function finishOutcome(
  { database, now }: OutcomeDeps,
  { _id, resolution }: Pick<MarketAnalysisRecord, "_id" | "resolution">,
): Promise<void> {
  if (resolution) await shareOutcome(database, _id, resolution);
  const isLeft = await database.signals.exists({ analysisId: _id, ...UNFINISHED });
  const later = { $set: { resolveAt: new Date(now().getTime() + RECHECK_MS) } };
  await database.marketAnalyses.updateOne({ _id }, isLeft ? later : { $unset: { resolveAt: 1 } });
}
