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

export const downloadUrl = `${apiOrigin}/ledger/download`;

export const offlineVerifierUrl = "/verify-ledger.html";

const readHead = (signal: AbortSignal): Promise<LedgerHead> =>
  api({ path: "/ledger/head", schema: ledgerHeadSchema, signal });

/** Records up to number `upTo`, newest first, and where the older ones end. */
async function readOlder(
  upTo: number,
  signal: AbortSignal,
): Promise<{ entries: LedgerEntry[]; older: number | null }> {
  if (upTo === 0) return { entries: [], older: null };
  const after = Math.max(0, upTo - PAGE_SIZE);
  const path = `/ledger?after=${after}&limit=${upTo - after}`;
  const { entries } = await api({ path, schema: ledgerPageSchema, signal });
  return { entries: entries.toReversed(), older: after > 0 ? after : null };
}

const readHeads = (before: string | null, signal: AbortSignal): Promise<LedgerHeads> =>
  api({
    path: `/ledger/heads${before ? `?before=${before}` : ""}`,
    schema: ledgerHeadsSchema,
    signal,
  });

export const proofUrl = (day: string): string => `${apiOrigin}/ledger/heads/${day}/ots`;

export const proofFilename = (day: string): string => `ledger-head-${day}.ots`;

export async function openDownload(signal: AbortSignal): Promise<LedgerBytes> {
  const response = await fetch(downloadUrl, { signal });
  if (!response.ok || !response.body) {
    throw new Error(`the download was answered with ${response.status}`);
  }
  return response.body;
}

export function useHead() {
  return useQuery({ queryKey: ["ledger", "head"], queryFn: ({ signal }) => readHead(signal) });
}

export function useRecords(from: number) {
  const query = useInfiniteQuery({
    queryKey: ["ledger", "records", from],
    queryFn: ({ pageParam, signal }) => readOlder(pageParam, signal),
    initialPageParam: from,
    getNextPageParam: ({ older }) => older,
  });
  return { ...query, entries: query.data?.pages.flatMap(({ entries }) => entries) };
}

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
