import {
  type LedgerEntry,
  type LedgerHead,
  ledgerHeadSchema,
  ledgerPageSchema,
} from "@shared/contract/ledger.ts";
import { type LedgerHeads, ledgerHeadsSchema } from "@shared/contract/ledger-heads.ts";
import type { LedgerBytes } from "@shared/contract/verify-ledger.ts";
import { api } from "../../lib/api/api.ts";
import { apiOrigin } from "../../lib/env.ts";

const PAGE_SIZE = 20;

/** Where the whole ledger can be saved from. */
export const downloadUrl = `${apiOrigin}/ledger/download`;

/** The page that verifies a saved ledger without a network. */
export const offlineVerifierUrl = "/verify-ledger.html";

export const readHead = (signal: AbortSignal): Promise<LedgerHead> =>
  api({ path: "/ledger/head", schema: ledgerHeadSchema, signal });

/** Records up to number `upTo`, newest first, and where the older ones end; null if there are none. */
export async function readOlder(
  upTo: number,
  signal: AbortSignal,
): Promise<{ entries: LedgerEntry[]; older: number | null }> {
  if (upTo === 0) return { entries: [], older: null };
  const after = Math.max(0, upTo - PAGE_SIZE);
  const path = `/ledger?after=${after}&limit=${upTo - after}`;
  const { entries } = await api({ path, schema: ledgerPageSchema, signal });
  return { entries: entries.toReversed(), older: after > 0 ? after : null };
}

/** Heads of the days before `before`, or the newest ones, with their witnesses. */
export const readHeads = (before: string | null, signal: AbortSignal): Promise<LedgerHeads> =>
  api({
    path: `/ledger/heads${before ? `?before=${before}` : ""}`,
    schema: ledgerHeadsSchema,
    signal,
  });

/** Where the OpenTimestamps proof of a day's head can be saved from. */
export const proofUrl = (day: string): string => `${apiOrigin}/ledger/heads/${day}/ots`;

/** The name that the proof is saved under. */
export const proofFilename = (day: string): string => `ledger-head-${day}.ots`;

/**
 * The whole ledger as it arrives; it may take as long as it likes.
 * @throws Error if the server does not give it
 */
export async function openDownload(signal: AbortSignal): Promise<LedgerBytes> {
  const response = await fetch(downloadUrl, { signal });
  if (!response.ok || !response.body) {
    throw new Error(`the download was answered with ${response.status}`);
  }
  return response.body;
}
