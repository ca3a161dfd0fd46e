import { GENESIS_HASH, type LedgerRecord } from "@shared/contract/ledger.ts";
import { hashRecord } from "@shared/contract/ledger-hash.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Database } from "../database.ts";
import { LEDGER_HEAD_ID, type LedgerDocument, type LedgerHeadRecord } from "../models/ledger.ts";

type ContentOf<Record> = Record extends LedgerRecord ? Pick<Record, "kind" | "body"> : never;

/** What a record says, before it has its place. */
export type RecordContent = ContentOf<LedgerRecord>;

/** The end of the chain, locked by one transaction. */
export interface LedgerChain {
  /** Time of the new records, ISO. */
  at: string;
  /** Adds a record to the end. */
  add(content: RecordContent): number;
  /** Stores the added records. */
  write(): Promise<void>;
}

/**
 * Locks the end of the chain in the caller's transaction. Of two transactions that do so at the same time one starts
 * over, so that no number is given twice and none left out.
 */
export async function lockChain(
  database: Database,
  uow: Pick<UnitOfWork, "session" | "at">,
): Promise<LedgerChain> {
  const start = await lockHead(database, uow);
  const added: LedgerDocument[] = [];
  // The clocks of two workers differ: time in the chain stands still rather than run backwards.
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

/** Reads the head and writes it at once, so that another transaction that does the same conflicts. */
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
