import {
  createLedgerVerifier,
  type LedgerReport,
  type VerifierOptions,
} from "@shared/contract/ledger-verifier.ts";
import type { Database } from "../database.ts";
import { readHead, streamEntries } from "./read-ledger.ts";

/**
 * Checks the whole ledger as it stands in the database, sealed figures included, against its own head and those that
 * were kept elsewhere.
 */
export async function verifyDatabase(
  database: Database,
  { kept = [], onOutcome }: VerifierOptions = {},
): Promise<LedgerReport> {
  const head = await readHead(database);
  const verifier = createLedgerVerifier({
    kept: head.seq > 0 ? [...kept, head] : kept,
    ...(onOutcome && { onOutcome }),
  });
  for await (const entry of streamEntries(database, { upTo: head.seq, audience: "operator" })) {
    if (!verifier.add(JSON.stringify(entry))) break;
  }
  return verifier.finish();
}
