import type { HeadWitness, LedgerHeads, LedgerPage } from "@shared/contract/ledger.ts";
import type { LedgerHeadsQuery, LedgerQuery } from "@shared/contract/routes/ledger-routes.ts";
import type { WitnessReceiptRecord } from "@shared/database/models/ledger.ts";
import {
  presentHead,
  publicAudience,
  readLedgerEntries,
  readLedgerHead,
  streamLedgerEntries,
} from "@shared/domain/ledger.ts";
import {
  mergeTimestamps,
  parseOtsFile,
  type TimestampProof,
  writeOtsFile,
} from "@shared/domain/opentimestamps.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** The records after a sequence number, oldest first, as the public may see them. */
export async function readLedgerPage(
  { database, now }: ServerDeps,
  { after, limit, arm }: LedgerQuery,
): Promise<LedgerPage> {
  const head = await readLedgerHead(database);
  const audience = publicAudience(head, now());
  const entries = await readLedgerEntries(database, {
    ...{ after, upTo: head.seq, limit, audience },
    ...(arm !== undefined && { arm }),
  });
  const isFull = arm === undefined || entries.length === limit;
  const last = (isFull && entries.at(-1)?.record.seq) || head.seq;
  return { entries, next_after: last < head.seq ? last : null, head };
}

export async function* downloadLedger({ database, now }: ServerDeps): AsyncGenerator<string> {
  const head = await readLedgerHead(database);
  const audience = publicAudience(head, now());
  for await (const entry of streamLedgerEntries(database, head.seq, audience)) {
    yield `${JSON.stringify(entry)}\n`;
  }
}

export async function listLedgerHeads(
  { database }: ServerDeps,
  { before, limit }: LedgerHeadsQuery,
): Promise<LedgerHeads> {
  const published = await database.ledgerPublications
    .find(before ? { _id: { $lt: before } } : {})
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean();
  const page = published.slice(0, limit);
  const receipts = await database.witnessReceipts
    .find({ day: { $in: page.map(({ _id }) => _id) } })
    .select("-proof")
    .sort({ day: 1, kind: 1, name: 1 })
    .lean();
  return {
    heads: page.map((head) => ({
      ...presentHead(head),
      witnesses: receipts.filter(({ day }) => day === head._id).map(presentWitness),
    })),
    next_before: published.length > limit ? (page.at(-1)?._id ?? null) : null,
  };
}

const presentWitness = (receipt: WitnessReceiptRecord): HeadWitness => ({
  kind: receipt.kind,
  url: receipt.url ?? null,
  status: receipt.status,
  at: receipt.at.toISOString(),
  bitcoin_block: receipt.bitcoinBlock ?? null,
  commit: receipt.commit ?? null,
});

/** The proofs of all calendars for the head of one day as one .ots file. */
export async function readHeadProof({ database }: ServerDeps, day: string): Promise<Buffer> {
  const receipts = await database.witnessReceipts
    .find({ day, kind: "opentimestamps" })
    .sort({ name: 1 });
  const proofs = receipts.flatMap(({ proof }) => (proof ? [parseOtsFile(proof)] : []));
  const [first, ...others] = proofs;
  if (!first) throw new AppError("not-found", "There is no proof for this day.");
  const merged = others.reduce<TimestampProof>(
    ({ digest, timestamp }, other) => ({
      digest,
      timestamp: mergeTimestamps(timestamp, other.timestamp),
    }),
    first,
  );
  return writeOtsFile(merged);
}
