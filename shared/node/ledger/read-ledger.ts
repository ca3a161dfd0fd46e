import { GENESIS_HASH, type LedgerEntry, type LedgerHead } from "@shared/contract/ledger.ts";
import type { Database } from "../database.ts";
import { LEDGER_HEAD_ID } from "../models/ledger.ts";

/** Records that are read at once while the whole ledger is streamed. */
const STREAM_BATCH = 500;

/** Who reads: everybody, at a moment, sees the figures that are public then; the operator sees all of them. */
export type LedgerAudience = { publicAt: Date } | "operator";

/**
 * Everybody, at `now`. The clock of the worker that appended may be ahead of ours: figures that are public by the
 * chain's own time are so here too, or an outcome would seem to come without them.
 */
export function publicAudience(head: Pick<LedgerHead, "at">, now: Date): LedgerAudience {
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

/** The records after number `after` up to `upTo`, oldest first, with the figures that the audience may see. */
export async function readEntries(
  database: Database,
  options: { after: number; upTo: number; limit: number; audience: LedgerAudience },
): Promise<LedgerEntry[]> {
  const { after, upTo, limit, audience } = options;
  const found = await database.ledger
    .find({ _id: { $gt: after, $lte: upTo } })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
  const analysisSeqs = found.filter(({ kind }) => kind === "analysis").map(({ _id }) => _id);
  const reveals = await database.ledgerReveals
    .find({
      _id: { $in: analysisSeqs },
      ...(audience !== "operator" && { publicAt: { $lte: audience.publicAt } }),
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
 * always comes with the figures of its analysis.
 */
export async function* streamEntries(
  database: Database,
  { upTo, audience }: { upTo: number; audience: LedgerAudience },
): AsyncGenerator<LedgerEntry> {
  let after = 0;
  while (after < upTo) {
    const entries = await readEntries(database, { after, upTo, limit: STREAM_BATCH, audience });
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.record.seq;
  }
}
