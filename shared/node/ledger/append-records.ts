import { randomBytes } from "node:crypto";
import { commitTo } from "@shared/contract/ledger-hash.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import type { QueryFilter } from "mongoose";
import type { Database } from "../database.ts";
import type { LedgerRevealRecord } from "../models/ledger.ts";
import type { MarketAnalysisRecord } from "../models/market-analysis.ts";
import { nativeCollection } from "../native-collection.ts";
import { figuresOf } from "./analysis-figures.ts";
import { type LedgerChain, lockChain } from "./ledger-chain.ts";

/** Appenders of one process wait for each other; those of several processes conflict on the chain's head. */
const LOCK_KEY = "ledger";

/** Analyses, and outcomes, that one transaction records at most. */
const BATCH_SIZE = 200;

/** How long the figures of a WAIT stay sealed; those of a trade are until it is resolved. */
const WAIT_SEALED_MS = 24 * 60 * 60_000;

/**
 * Appends what the ledger does not hold yet, in one transaction: completed analyses in the order in which they were
 * finished, and outcomes. A long backlog takes several calls.
 *
 * It may run anywhere, at any time, several times at once. The transactions that finish analyses never touch the chain:
 * all of them would have to wait for each other there.
 * @returns how many records were appended
 * @throws AppError `unavailable` if others lock the chain for too long
 */
export function appendRecords(options: { database: Database; now: () => Date }): Promise<number> {
  const { database, now } = options;
  return commit(database, { lockKeys: LOCK_KEY, now }, async (uow) => {
    const { session } = uow;
    const completed = await findUnrecorded(uow, database, {
      filter: { status: "completed", ledgerSeq: null },
      sort: { finishedAt: 1, _id: 1 },
    });
    const resolved = await findUnrecorded(uow, database, {
      filter: { outcome: { $exists: true }, outcomeLedgerSeq: null, ledgerSeq: { $gt: 0 } },
      sort: { ledgerSeq: 1 },
    });
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
    await nativeCollection(database.marketAnalyses).bulkWrite(updates, { session, ordered: false });
    return updates.length;
  });
}

type RecordableAnalysis = Omit<MarketAnalysisRecord, "receipt">;
type Update = AnyBulkWriteOperation<MarketAnalysisRecord>;

function findUnrecorded(
  { session }: UnitOfWork,
  database: Database,
  { filter, sort }: { filter: QueryFilter<MarketAnalysisRecord>; sort: Record<string, 1> },
): Promise<RecordableAnalysis[]> {
  return database.marketAnalyses
    .find(filter, { receipt: 0 }, { sort, limit: BATCH_SIZE, session })
    .lean<RecordableAnalysis[]>();
}

function recordAnalysis(
  chain: LedgerChain,
  analysis: RecordableAnalysis,
): { reveal: LedgerRevealRecord; update: Update } {
  const figures = figuresOf(analysis);
  // Nobody guesses it, so the commitment tells nothing of the figures.
  const salt = randomBytes(32).toString("hex");
  const ledgerSeq = chain.add({
    kind: "analysis",
    body: { data: figures.data, figures_commitment: commitTo(figures, salt) },
  });
  const publicAt = new Date(Date.parse(chain.at) + WAIT_SEALED_MS);
  const isWait = figures.final_signal === "WAIT";
  return {
    reveal: { _id: ledgerSeq, salt, figures, ...(isWait && { publicAt }) },
    update: { updateOne: { filter: { _id: analysis._id }, update: { $set: { ledgerSeq } } } },
  };
}

function recordOutcome(
  chain: LedgerChain,
  { _id, ledgerSeq, judgement }: RecordableAnalysis,
): Update | null {
  if (ledgerSeq === undefined || !judgement) return null;
  const body = { analysis_seq: ledgerSeq, ...judgement };
  const outcomeLedgerSeq = chain.add({ kind: "outcome", body });
  return { updateOne: { filter: { _id }, update: { $set: { outcomeLedgerSeq } } } };
}
