import { ledgerHeadSchema, ledgerHeadsSchema, ledgerPageSchema } from "@shared/contract/ledger.ts";
import type { LedgerBytes } from "@shared/contract/ledger-verifier.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { apiOrigin } from "../../lib/env.ts";
import { useLeaveSignal } from "../../lib/use-leave-signal.ts";

const PAGE_SIZE = 20;

export const downloadUrl = `${apiOrigin}/ledger/download`;

export const DOWNLOAD_INTERRUPTED = "The download was interrupted. Please try again.";

export const offlineVerifierUrl = "/verify-ledger.html";

async function readOlder(upTo: number, signal: AbortSignal) {
  if (upTo === 0) return { entries: [], older: null };
  const after = Math.max(0, upTo - PAGE_SIZE);
  const query = { after, limit: upTo - after };
  const { entries } = await api({ path: "/ledger", query, schema: ledgerPageSchema, signal });
  return { entries: entries.toReversed(), older: after > 0 ? after : null };
}

export const proofUrl = (day: string): string => `${apiOrigin}/ledger/heads/${day}/ots`;

export const proofFilename = (day: string): string => `ledger-head-${day}.ots`;

/** Returns a function that downloads the ledger. Leaving the page cancels the download. */
export function useDownload(): () => Promise<LedgerBytes> {
  const leaveSignal = useLeaveSignal();
  return async () => {
    const response = await fetch(downloadUrl, { signal: leaveSignal() });
    if (!response.ok || !response.body) throw new Error(`The server returned ${response.status}.`);
    return response.body;
  };
}

export const useHead = () =>
  useQuery({
    queryKey: ["ledger", "head"],
    queryFn: ({ signal }) => api({ path: "/ledger/head", schema: ledgerHeadSchema, signal }),
  });

export const useRecords = (from: number) =>
  useInfiniteQuery({
    queryKey: ["ledger", "records", from],
    queryFn: ({ pageParam, signal }) => readOlder(pageParam, signal),
    initialPageParam: from,
    getNextPageParam: ({ older }) => older,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
  });

const NEWEST: string | null = null;

const readHeads = (before: string | null, signal: AbortSignal) =>
  api({
    path: "/ledger/heads",
    query: { before: before ?? undefined },
    schema: ledgerHeadsSchema,
    signal,
  });

export function useHeads() {
  return useInfiniteQuery({
    queryKey: ["ledger", "heads"],
    queryFn: ({ pageParam, signal }) => readHeads(pageParam, signal),
    initialPageParam: NEWEST,
    getNextPageParam: (page) => page.next_before,
    select: ({ pages }) => pages.flatMap(({ heads }) => heads),
  });
}
