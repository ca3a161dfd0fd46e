import { createHash } from "node:crypto";
import type { PublishedHead } from "@shared/contract/ledger-heads.ts";
import type { Database } from "@shared/node/database.ts";
import { type Attestation, writeOtsFile } from "@shared/node/ledger/opentimestamps.ts";

/** The part of a calendar: its proof leads to the Bitcoin block `block`, or to nowhere yet. */
interface CalendarPart {
  url?: string;
  block?: number;
}

/** Stores the head of one day, once, and the receipts of its calendars. */
export async function createWitnessedHead(
  database: Database,
  { day, calendars = [] }: { day: string; calendars?: readonly CalendarPart[] },
): Promise<PublishedHead> {
  const hash = createHash("sha256").update(day).digest("hex");
  const head = { seq: 12, hash, at: `${day}T00:00:00.000Z` };
  await database.ledgerPublications.updateOne({ _id: day }, { $set: head }, { upsert: true });
  for (const { url = "https://calendar.example", block } of calendars) {
    const attestation: Attestation =
      block === undefined ? { kind: "pending", uri: url } : { kind: "bitcoin", height: block };
    const timestamp = [{ kind: "attestation" as const, attestation }];
    const receipt = {
      ...{ seq: head.seq, hash, url, at: new Date(`${day}T06:00:00.000Z`) },
      status: block === undefined ? ("pending" as const) : ("complete" as const),
      proof: writeOtsFile({ digest: Buffer.from(hash, "hex"), timestamp }),
      ...(block !== undefined && { bitcoinBlock: block }),
    };
    await database.witnessReceipts.updateOne(
      { day, kind: "opentimestamps", name: url },
      { $set: receipt },
      { upsert: true },
    );
  }
  return { day, ...head };
}
