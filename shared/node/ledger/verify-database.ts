import {
  createLedgerVerifier,
  type KeptHead,
  type LedgerReport,
} from "@shared/contract/ledger-verifier.ts";
import type { Database } from "../database.ts";
import { readHead, streamEntries } from "./read-ledger.ts";

/**
 * Checks the whole ledger as it stands in the database, sealed figures included, against its own head and those that
 * were kept elsewhere.
 */
export async function verifyDatabase(
  database: Database,
  kept: readonly KeptHead[] = [],
): Promise<LedgerReport> {
  const head = await readHead(database);
  const verifier = createLedgerVerifier({ kept: head.seq > 0 ? [...kept, head] : kept });
  for await (const entry of streamEntries(database, { upTo: head.seq, reader: "operator" })) {
    if (!verifier.add(JSON.stringify(entry))) break;
  }
  return verifier.finish();
}
