import {
  type LedgerEntry,
  type LedgerHead,
  type LedgerHeads,
  ledgerHeadSchema,
  ledgerHeadsSchema,
  ledgerPageSchema,
} from "@shared/contract/ledger.ts";
import type { LedgerBytes } from "@shared/contract/ledger-verifier.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { apiOrigin } from "../../lib/env.ts";

const PAGE_SIZE = 20;

/** Where the whole ledger can be saved from. */
export const downloadUrl = `${apiOrigin}/ledger/download`;

/** The page that verifies a saved ledger without a network. */
export const offlineVerifierUrl = "/verify-ledger.html";

const readHead = (signal: AbortSignal): Promise<LedgerHead> =>
  api({ path: "/ledger/head", schema: ledgerHeadSchema, signal });

/** Records up to number `upTo`, newest first, and where the older ones end; null if there are none. */
async function readOlder(
  upTo: number,
  signal: AbortSignal,
): Promise<{ entries: LedgerEntry[]; older: number | null }> {
  if (upTo === 0) return { entries: [], older: null };
  const after = Math.max(0, upTo - PAGE_SIZE);
  const query = { after, limit: upTo - after };
  const { entries } = await api({ path: "/ledger", query, schema: ledgerPageSchema, signal });
  return { entries: entries.toReversed(), older: after > 0 ? after : null };
}

/** Heads of the days before `before`, or the newest ones, with their witnesses. */
const readHeads = (before: string | null, signal: AbortSignal): Promise<LedgerHeads> =>
  api({
    path: "/ledger/heads",
    query: { before: before ?? undefined },
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

/** The newest record as it was when the page was opened. */
export function useHead() {
  return useQuery({ queryKey: ["ledger", "head"], queryFn: ({ signal }) => readHead(signal) });
}

/** The records before number `from`, itself included, as far back as the reader went. */
export function useRecords(from: number) {
  const query = useInfiniteQuery({
    queryKey: ["ledger", "records", from],
    queryFn: ({ pageParam, signal }) => readOlder(pageParam, signal),
    initialPageParam: from,
    getNextPageParam: ({ older }) => older,
  });
  return { ...query, entries: query.data?.pages.flatMap(({ entries }) => entries) };
}

/** The heads of past days, newest first, as far back as the reader went. */
export function useHeads() {
  const query = useInfiniteQuery({
    queryKey: ["ledger", "heads"],
    queryFn: ({ pageParam, signal }) => readHeads(pageParam, signal),
    initialPageParam: firstPage,
    getNextPageParam: ({ next_before: before }) => before,
  });
  return { ...query, heads: query.data?.pages.flatMap(({ heads }) => heads) };
}

const firstPage: string | null = null;
