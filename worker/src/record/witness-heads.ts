import type { PublishedHead } from "@shared/contract/ledger.ts";
import type { Database } from "@shared/database/database.ts";
import type { WitnessReceiptRecord } from "@shared/database/models/ledger.ts";
import { presentHead } from "@shared/domain/ledger.ts";

/** What a witness says of a head that it has. */
export type Testimony = Pick<
  WitnessReceiptRecord,
  "status" | "url" | "proof" | "bitcoinBlock" | "commit"
>;

/** Keeps heads of the ledger where the operator cannot rewrite them. */
export interface Witness extends Pick<WitnessReceiptRecord, "kind" | "name"> {
  /**
   * Hands a head over. May be called again for the same head, as after a crash.
   * @throws when the witness does not take it
   */
  submit(head: PublishedHead, abort: AbortSignal): Promise<Testimony>;
  /**
   * Completes a pending proof, an .ots file.
   * @returns null while there is nothing new
   * @throws when the witness cannot be asked
   */
  complete?(proof: Uint8Array, abort: AbortSignal): Promise<Testimony | null>;
}

/** Older heads are not handed over: every later head also covers the records before it. */
const CATCH_UP_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

/** A calendar is asked about one proof this often; Bitcoin takes hours. */
const COMPLETE_EVERY_MS = 30 * 60_000;

interface WitnessHeadsDeps {
  database: Pick<Database, "ledgerPublications" | "witnessReceipts">;
  witnesses: readonly Witness[];
  now: () => Date;
  abort: AbortSignal;
}

/** What a witness failed at; tried again by the next round. */
export interface WitnessFailure {
  witness: string;
  error: unknown;
}

/**
 * Hands each published head to each witness that does not have it, and completes pending proofs. Each witness works by
 * itself: one that is down or slow delays no other. A head has one receipt for each witness, however many workers do this;
 * a witness may get a head again if a worker died before it stored the receipt.
 */
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

/** Oldest first, until the witness fails. */
async function submitMissing(deps: WitnessHeadsDeps, witness: Witness): Promise<void> {
  for (const head of await missingHeads(deps, witness)) {
    const testimony = await witness.submit(head, deps.abort);
    await storeReceipt(deps, { witness, head, testimony });
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

/** The first receipt for a head stays. */
async function storeReceipt(
  { database, now }: WitnessHeadsDeps,
  { witness, head, testimony }: { witness: Witness; head: PublishedHead; testimony: Testimony },
): Promise<void> {
  const { kind, name } = witness;
  const { day, seq, hash } = head;
  const at = now();
  await database.witnessReceipts.updateOne(
    { day, kind, name },
    { $setOnInsert: { seq, hash, at, ...testimony, dueAt: dueAfter(at) } },
    { upsert: true },
  );
}

/** Takes one due proof after the other; each is due again later, also if the witness fails. */
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

const dueAfter = (time: Date): Date => new Date(time.getTime() + COMPLETE_EVERY_MS);
