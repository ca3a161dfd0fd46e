import { GENESIS_HASH, type LedgerRecord } from "@shared/contract/ledger.ts";
import { hashRecord } from "@shared/contract/ledger-hash.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { ClientSession } from "mongoose";
import type { Database } from "../database.ts";
import { LEDGER_HEAD_ID, type LedgerDocument, type LedgerHeadRecord } from "../models/ledger.ts";

type LinkOf<Link> = Link extends LedgerRecord ? Pick<Link, "kind" | "body"> : never;

/** What a record says, before it has its place. */
export type LedgerLink = LinkOf<LedgerRecord>;

/** The end of the chain, held by one transaction. */
export interface LedgerChain {
  /** The moment that the new records bear, ISO. */
  at: string;
  /** Gives a record its place at the end. */
  add(link: LedgerLink): number;
  /** Stores what was added, and tells how many records that was. */
  write(): Promise<number>;
}

/** What a transaction that appends works with. */
export interface LedgerWrite {
  database: Database;
  session: ClientSession;
  chain: LedgerChain;
}

/**
 * Takes hold of the chain's end in the caller's transaction. Of two who do so at the same time one starts over, so that
 * no number is given twice and none left out.
 */
export async function holdChain(
  database: Database,
  uow: Pick<UnitOfWork, "session" | "at">,
): Promise<LedgerChain> {
  const start = await holdHead(database, uow);
  const added: LedgerDocument[] = [];
  // The clocks of two workers differ: time in the chain stands still rather than run backwards.
  const at = new Date(Math.max(uow.at.getTime(), Date.parse(start.at))).toISOString();
  let { seq, hash } = start;
  return {
    at,
    add(link) {
      const content = { ...link, at, seq: seq + 1, prev_hash: hash };
      seq = content.seq;
      hash = hashRecord(content);
      added.push({ _id: seq, ...link, at, prev_hash: content.prev_hash, hash });
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
      return added.length;
    },
  };
}

/** Reads the head and writes it at once, which is what others collide with. */
function holdHead(
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
