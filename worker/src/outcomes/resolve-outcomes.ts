import type { Database } from "@shared/node/database.ts";
import { SIGNAL_COLLECTIONS, type SignalCollection } from "@shared/node/ledger/number-signals.ts";
import type { Logger } from "@shared/node/logger.ts";
import { marketKey } from "@shared/node/models/signal-since.ts";
import type { TradingCostTable } from "@shared/node/trading-costs.ts";
import { Semaphore } from "async-mutex";
import type { CandleArchive, Market } from "./candle-archive.ts";
import { judgeMarket } from "./judge-market.ts";
import {
  PENDING_FIELDS,
  type PendingSignal,
  pendingSignal,
  type StoredSignal,
} from "./pending-signal.ts";
import type { MarketBackoff } from "./schedule.ts";

/** Signals looked at in one go; what is due beyond them follows at once. */
const BATCH_SIZE = 500;
/** Markets read at the same time. */
const MARKETS_AT_A_TIME = 6;

export interface ResolveDeps {
  database: Database;
  logger: Logger;
  archive: CandleArchive;
  backoff: MarketBackoff;
  now: () => Date;
  tradingCosts: TradingCostTable;
  /** Ends the run; what is left is due again in the next one. */
  abort: AbortSignal;
}

/**
 * Judges every signal that is due and committed to the ledger, market by market, so that all signals of one share what
 * is read of it. Whatever is not judged is given its next time, so that a run can end anywhere.
 * @returns how many signals were judged
 */
export async function resolveOutcomes(deps: ResolveDeps): Promise<number> {
  const until = deps.now();
  let judged = 0;
  for (const from of SIGNAL_COLLECTIONS) judged += await resolveIn(deps, from, until);
  return judged;
}

async function resolveIn(deps: ResolveDeps, from: SignalCollection, until: Date): Promise<number> {
  let judged = 0;
  while (!deps.abort.aborted) {
    const due = await findDue(deps.database, from, until);
    if (due.length === 0) break;
    const pending = due.flatMap((signal) => pendingSignal(signal, from) ?? []);
    const unjudgeable = due.filter((signal) => pendingSignal(signal, from) === null);
    await forget(deps.database, from, unjudgeable);
    judged += await judgeByMarket(deps, pending);
  }
  return judged;
}

function findDue(database: Database, from: SignalCollection, until: Date): Promise<StoredSignal[]> {
  const due = {
    judgeAt: { $lte: until },
    ledgerSeq: { $exists: true },
    outcome: { $exists: false },
    status: "completed",
  } as const;
  const options = { sort: { judgeAt: 1 }, limit: BATCH_SIZE } as const;
  return from === "signals"
    ? database.signals.find(due, PENDING_FIELDS, options).lean()
    : database.clearedSignals.find(due, PENDING_FIELDS, options).lean();
}

/** Nothing will ever judge what advises no trade. */
async function forget(
  database: Database,
  from: SignalCollection,
  unjudgeable: readonly StoredSignal[],
): Promise<void> {
  if (unjudgeable.length === 0) return;
  const ids = unjudgeable.map(({ _id }) => _id);
  await database[from].collection.updateMany({ _id: { $in: ids } }, { $unset: { judgeAt: 1 } });
}

async function judgeByMarket(
  deps: ResolveDeps,
  pending: readonly PendingSignal[],
): Promise<number> {
  const markets = new Map<string, { market: Market; signals: PendingSignal[] }>();
  for (const signal of pending) {
    const key = marketKey(signal.market);
    const known = markets.get(key);
    if (known) known.signals.push(signal);
    else markets.set(key, { market: signal.market, signals: [signal] });
  }
  const turns = new Semaphore(MARKETS_AT_A_TIME);
  const counts = await Promise.all(
    [...markets.values()].map((market) =>
      turns.runExclusive(() => (deps.abort.aborted ? 0 : judgeMarket(deps, market))),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
