import { randomBytes } from "node:crypto";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { GENESIS_HASH, type LedgerFigures, type LedgerRecord } from "@shared/contract/ledger.ts";
import { commitTo, hashRecord } from "@shared/contract/ledger-verifier.ts";
import { bulkUpdate, type Database } from "@shared/database/database.ts";
import {
  LEDGER_HEAD_ID,
  type LedgerDocument,
  type LedgerHeadRecord,
  type LedgerRevealRecord,
} from "@shared/database/models/ledger.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { shadowDatabase } from "@shared/domain/analyst-bench.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import type { QueryFilter } from "mongoose";
import type { WorkerDeps } from "../worker-deps.ts";

/** Serializes appenders of one process; those of several processes conflict on the chain head. */
const LOCK_KEY = "ledger";

const BATCH_SIZE = 200;

/** Values of a WAIT become public after this time, those of a trade when it is resolved. */
const WAIT_SEALED_MS = 24 * 60 * 60_000;

const POLL_INTERVAL_MS = 1_000;
const RETRY_MS = 5_000;

/** Appends finished analyses and outcomes to the ledger. Safe to run in every worker. */
export function startLedgerAppender({
  database,
  logger,
  now,
}: Pick<WorkerDeps, "database" | "logger" | "now">): { stop: () => Promise<void> } {
  return repeat({
    async work(stopping) {
      let appended: number;
      do {
        appended = await appendRecords({ database, now });
        // Those of users first: no user waits for the others.
        appended += await appendRecords({ database: shadowDatabase(database), now });
        if (appended > 0) logger.debug({ appended }, "ledger records appended");
      } while (appended > 0 && !stopping.aborted);
    },
    intervalMs: POLL_INTERVAL_MS,
    retryMs: RETRY_MS,
    onError: (error) => logger.warn({ err: error }, "could not append to the ledger"),
  });
}

/**
 * Appends completed analyses and outcomes to the ledger in one transaction, at most a batch of each. Can run
 * concurrently.
 * Runs outside the finishing transaction, which would otherwise serialize all workers on the chain head.
 * @returns the number of new records
 */
export function appendRecords({
  database,
  now,
}: Pick<WorkerDeps, "database" | "now">): Promise<number> {
  return commit(database, { lockKeys: LOCK_KEY, now }, async (uow) => {
    const { session } = uow;
    const isCompleted = { status: "completed", ledgerSeq: null } as const;
    const completed = await findUnrecorded(database, uow, isCompleted, { finishedAt: 1, _id: 1 });
    const isResolved = {
      outcome: { $exists: true },
      outcomeLedgerSeq: null,
      ledgerSeq: { $gt: 0 },
    };
    const resolved = await findUnrecorded(database, uow, isResolved, { ledgerSeq: 1 });
    if (completed.length + resolved.length === 0) return 0;
    const chain = await lockChain(database, uow);
    const reveals: LedgerRevealRecord[] = [];
    const updates: Update[] = [];
    for (const analysis of completed) {
      const { reveal, update } = recordAnalysis(chain, analysis);
      reveals.push(reveal);
      updates.push(update);
    }
    updates.push(...resolved.flatMap((analysis) => recordOutcome(chain, analysis) ?? []));
    await chain.write();
    if (reveals.length > 0) await database.ledgerReveals.insertMany(reveals, { session });
    const revealed = { _id: { $in: resolved.flatMap(({ ledgerSeq }) => ledgerSeq ?? []) } };
    await database.ledgerReveals.updateMany(
      revealed,
      { $set: { publicAt: new Date(chain.at) } },
      { session },
    );
    await bulkUpdate(database.marketAnalyses, updates, session);
    return updates.length;
  });
}

type RecordableAnalysis = Omit<MarketAnalysisRecord, "provenance">;
type Update = AnyBulkWriteOperation<MarketAnalysisRecord>;

function findUnrecorded(
  database: Database,
  { session }: UnitOfWork,
  filter: QueryFilter<MarketAnalysisRecord>,
  sort: Record<string, 1>,
): Promise<RecordableAnalysis[]> {
  return database.marketAnalyses
    .find(filter, { provenance: 0 }, { sort, limit: BATCH_SIZE, session })
    .lean<RecordableAnalysis[]>();
}

function recordAnalysis(
  chain: LedgerChain,
  analysis: RecordableAnalysis,
): { reveal: LedgerRevealRecord; update: Update } {
  const figures = figuresOf(analysis);
  // Keeps the committed values secret.
  const salt = randomBytes(32).toString("hex");
  const ledgerSeq = chain.add({
    kind: "analysis",
    body: {
      data: figures.data,
      figures_commitment: commitTo(figures, salt),
      ...demoMark(analysis),
      ...armMark(analysis),
    },
  });
  const sealedMs = demoMark(analysis).demo_record ? 0 : WAIT_SEALED_MS;
  const publicAt = new Date(Date.parse(chain.at) + sealedMs);
  const isWait = figures.final_signal === "WAIT";
  return {
    reveal: { _id: ledgerSeq, salt, figures, ...(isWait && { publicAt }) },
    update: { updateOne: { filter: { _id: analysis._id }, update: { $set: { ledgerSeq } } } },
  };
}

function recordOutcome(chain: LedgerChain, analysis: RecordableAnalysis): Update | null {
  const { _id, ledgerSeq, resolution } = analysis;
  if (ledgerSeq === undefined || !resolution) return null;
  const marks = { ...demoMark(analysis), ...armMark(analysis) };
  const body = { analysis_seq: ledgerSeq, ...marks, ...resolution };
  const outcomeLedgerSeq = chain.add({ kind: "outcome", body });
  return { updateOne: { filter: { _id }, update: { $set: { outcomeLedgerSeq } } } };
}

/** Says in the chain itself that a record belongs to the demo record. */
const demoMark = ({ result }: RecordableAnalysis): { demo_record?: true } =>
  result?.analysis.source.demo_record ? { demo_record: true } : {};

/** Says in the chain itself that no user got it. */
const armMark = ({ arm }: Pick<MarketAnalysisRecord, "arm">): { arm?: string } =>
  arm === undefined ? {} : { arm };

/** Values that the ledger record of an analysis commits to, without user data. */
export function figuresOf(
  record: Pick<
    MarketAnalysisRecord,
    "_id" | "symbol" | "timeframe" | "createdAt" | "finishedAt" | "result" | "arm"
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
    ...armMark(record),
  };
}

type ContentOf<Record> = Record extends LedgerRecord ? Pick<Record, "kind" | "body"> : never;

type RecordContent = ContentOf<LedgerRecord>;

interface LedgerChain {
  at: string;
  add(content: RecordContent): number;
  write(): Promise<void>;
}

/** Concurrent transactions conflict on the chain head, so no number is used twice or left out. */
async function lockChain(
  database: Database,
  uow: Pick<UnitOfWork, "session" | "at">,
): Promise<LedgerChain> {
  const start = await lockHead(database, uow);
  const added: LedgerDocument[] = [];
  // Clocks of workers differ, but time in the chain never runs backwards.
  const at = new Date(Math.max(uow.at.getTime(), Date.parse(start.at))).toISOString();
  let { seq, hash } = start;
  return {
    at,
    add(content) {
      const record = { ...content, at, seq: seq + 1, prev_hash: hash };
      seq = record.seq;
      hash = hashRecord(record);
      added.push({ _id: seq, ...content, at, prev_hash: record.prev_hash, hash });
      return seq;
    },
    async write() {
      const { session } = uow;
      await database.ledger.insertMany(added, { session });
      await database.ledgerHeads.updateOne(
        { _id: LEDGER_HEAD_ID },
        { $set: { seq, hash, at } },
        { session },
      );
    },
  };
}

function lockHead(
  database: Database,
  { session, at }: Pick<UnitOfWork, "session" | "at">,
): Promise<LedgerHeadRecord> {
  const first = { seq: 0, hash: GENESIS_HASH, at: at.toISOString() };
  return database.ledgerHeads
    .findOneAndUpdate(
      { _id: LEDGER_HEAD_ID },
      { $setOnInsert: first, $inc: { holds: 1 } },
      { session, upsert: true, returnDocument: "after" },
    )
    .lean();
}
