import { GENESIS_HASH, type LedgerEntry, type LedgerHead } from "@shared/contract/ledger.ts";
import type { Database } from "../database.ts";
import { LEDGER_HEAD_ID } from "../models/ledger.ts";

/** Records that are read at once while the whole ledger is streamed. */
const STREAM_BATCH = 500;

/** Whose eyes it is for: figures that are public at this moment, or all of them. */
export type Reader = { publicAt: Date } | "operator";

/**
 * Everybody, at this moment. The clock of the worker that appended may be ahead of ours: figures that are public by the
 * chain's own time are so here too, or an outcome would seem to come without them.
 */
export function everybody(head: Pick<LedgerHead, "at">, now: Date): Reader {
  const chainMs = head.at ? Date.parse(head.at) : 0;
  return { publicAt: new Date(Math.max(now.getTime(), chainMs)) };
}

/** The last record that was appended. */
export async function readHead(database: Pick<Database, "ledgerHeads">): Promise<LedgerHead> {
  const head = await database.ledgerHeads.findById(LEDGER_HEAD_ID).lean();
  if (!head) return { seq: 0, hash: GENESIS_HASH, at: null };
  const { seq, hash, at } = head;
  return { seq, hash, at };
}

/** The records after number `after` up to `upTo`, oldest first, with the figures that `reader` may see. */
export async function readEntries(
  database: Database,
  options: { after: number; upTo: number; limit: number; reader: Reader },
): Promise<LedgerEntry[]> {
  const { after, upTo, limit, reader } = options;
  const found = await database.ledger
    .find({ _id: { $gt: after, $lte: upTo } })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
  const signalSeqs = found.filter(({ kind }) => kind === "signal").map(({ _id }) => _id);
  const reveals = await database.ledgerReveals
    .find({
      _id: { $in: signalSeqs },
      ...(reader !== "operator" && { publicAt: { $lte: reader.publicAt } }),
    })
    .lean();
  const revealOf = new Map(reveals.map(({ _id, salt, figures }) => [_id, { salt, figures }]));
  return found.map(({ _id: seq, ...content }) => ({
    record: { seq, ...content },
    reveal: revealOf.get(seq) ?? null,
  }));
}

/**
 * All records up to `upTo`, read bit by bit. What was appended before the head was read is complete: an outcome in it
 * always comes with its signal's figures.
 */
export async function* streamEntries(
  database: Database,
  { upTo, reader }: { upTo: number; reader: Reader },
): AsyncGenerator<LedgerEntry> {
  let after = 0;
  while (after < upTo) {
    const entries = await readEntries(database, { after, upTo, limit: STREAM_BATCH, reader });
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.record.seq;
  }
}
