import { DAY_MS } from "@shared/contract/constants.ts";
import type { PublishedHead } from "@shared/contract/ledger.ts";
import type { Database } from "@shared/database/database.ts";
import type { WitnessReceiptRecord } from "@shared/database/models/ledger.ts";
import {
  appendToHeadFile,
  headFile,
  presentHead,
  readHeadFile,
  readLedgerHead,
} from "@shared/domain/ledger.ts";
import type { WorkerDeps } from "../worker-deps.ts";

export type PublishHeadDeps = Pick<WorkerDeps, "database" | "logger" | "now"> & { dataDir: string };

/** Publishes today's ledger head in the database, in a file and in the log. The first caller of a day decides. */
export async function publishLedgerHead(deps: PublishHeadDeps): Promise<void> {
  const { database, logger, dataDir } = deps;
  if (!(await settleToday(deps))) return;
  const file = headFile(dataDir);
  const known = new Set((await readHeadFile(file)).map(({ day }) => day));
  const published = await database.ledgerPublications.find().sort({ _id: 1 }).lean();
  const missing = published.map(presentHead).filter(({ day }) => !known.has(day));
  await appendToHeadFile(file, missing);
  for (const head of missing) logger.info(head, "ledger head");
}

async function settleToday({ database, now }: PublishHeadDeps): Promise<boolean> {
  const { seq, hash, at } = await readLedgerHead(database);
  if (at === null) return false;
  const day = now().toISOString().slice(0, 10);
  await database.ledgerPublications.updateOne(
    { _id: day },
    { $setOnInsert: { seq, hash, at } },
    { upsert: true },
  );
  return true;
}

export type Testimony = Pick<
  WitnessReceiptRecord,
  "status" | "url" | "proof" | "bitcoinBlock" | "commit"
>;

/** Keeps ledger heads where the operator cannot rewrite them. */
export interface Witness extends Pick<WitnessReceiptRecord, "kind" | "name"> {
  /** May be called again for the same head, as after a crash. */
  submit(head: PublishedHead, abort: AbortSignal): Promise<Testimony>;
  /** Completes a pending .ots proof; null while there is nothing new. */
  complete?(proof: Uint8Array, abort: AbortSignal): Promise<Testimony | null>;
}

/** Later heads also cover earlier records, so older heads are skipped. */
const CATCH_UP_DAYS = 7;

const COMPLETE_INTERVAL_MS = 30 * 60_000;

interface WitnessHeadsDeps {
  database: Database;
  witnesses: readonly Witness[];
  now: () => Date;
  abort: AbortSignal;
}

interface WitnessFailure {
  witness: string;
  error: unknown;
}

/** Submits heads to witnesses and completes pending proofs. Witnesses fail independently. */
export async function witnessHeads(deps: WitnessHeadsDeps): Promise<WitnessFailure[]> {
  const tasks = deps.witnesses.flatMap((witness) => [
    { witness: witness.name, done: submitMissing(deps, witness) },
    { witness: witness.name, done: completePending(deps, witness) },
  ]);
  const results = await Promise.allSettled(tasks.map(({ done }) => done));
  return results.flatMap((result, index) => {
    const witness = tasks[index]?.witness ?? "";
    return result.status === "rejected" ? [{ witness, error: result.reason }] : [];
  });
}

async function submitMissing(deps: WitnessHeadsDeps, witness: Witness): Promise<void> {
  for (const head of await missingHeads(deps, witness)) {
    const testimony = await witness.submit(head, deps.abort);
    await storeReceipt(deps, witness, head, testimony);
  }
}

async function missingHeads(
  { database, now }: WitnessHeadsDeps,
  { kind, name }: Witness,
): Promise<PublishedHead[]> {
  const since = new Date(now().getTime() - CATCH_UP_DAYS * DAY_MS).toISOString().slice(0, 10);
  const published = await database.ledgerPublications
    .find({ _id: { $gt: since } })
    .sort({ _id: 1 })
    .lean();
  const days = await database.witnessReceipts.distinct("day", { day: { $gt: since }, kind, name });
  const known = new Set(days);
  return published.map(presentHead).filter(({ day }) => !known.has(day));
}

async function storeReceipt(
  { database, now }: WitnessHeadsDeps,
  { kind, name }: Witness,
  { day, seq, hash }: PublishedHead,
  testimony: Testimony,
): Promise<void> {
  const at = now();
  await database.witnessReceipts.updateOne(
    { day, kind, name },
    { $setOnInsert: { seq, hash, at, ...testimony, dueAt: dueAfter(at) } },
    { upsert: true },
  );
}

async function completePending(deps: WitnessHeadsDeps, witness: Witness): Promise<void> {
  const { database, now, abort } = deps;
  const { kind, name, complete } = witness;
  while (complete && !abort.aborted) {
    const receipt = await database.witnessReceipts.findOneAndUpdate(
      { kind, name, status: "pending", dueAt: { $lte: now() } },
      { $set: { dueAt: dueAfter(now()) } },
      { sort: { dueAt: 1 } },
    );
    if (!receipt?.proof) return;
    const testimony = await complete(receipt.proof, abort);
    if (!testimony) continue;
    await database.witnessReceipts.updateOne(
      { _id: receipt._id, status: "pending" },
      { $set: { ...testimony, at: now() } },
    );
  }
}

const dueAfter = (time: Date): Date => new Date(time.getTime() + COMPLETE_INTERVAL_MS);
