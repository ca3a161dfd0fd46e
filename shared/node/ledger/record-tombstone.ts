import type { ClientSession } from "mongoose";
import type { Database } from "../database.ts";
import type { LedgerWrite } from "./ledger-chain.ts";

/** Signals that one tombstone names at most. */
const BATCH_SIZE = 500;

/** Numbers of recorded signals whose owner is forgotten, and no tombstone says so. */
export async function findUnburied(database: Database, session: ClientSession): Promise<number[]> {
  const cleared = await database.clearedSignals
    .find({ tombstoneSeq: null, ledgerSeq: { $gt: 0 } })
    .sort({ ledgerSeq: 1 })
    .limit(BATCH_SIZE)
    .select({ ledgerSeq: 1 })
    .session(session)
    .lean();
  return cleared.flatMap(({ ledgerSeq }) => ledgerSeq ?? []);
}

/** Records in one tombstone that the owners of these signals are forgotten. */
export async function recordTombstone(
  { database, session, chain }: LedgerWrite,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  const tombstoneSeq = chain.add({ kind: "tombstone", body: { seqs: [...seqs] } });
  const named = { ledgerSeq: { $in: [...seqs] }, tombstoneSeq: null };
  await database.clearedSignals.updateMany(named, { $set: { tombstoneSeq } }, { session });
}
