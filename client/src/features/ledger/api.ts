import { ledgerHeadSchema, ledgerHeadsSchema, ledgerPageSchema } from "@shared/contract/ledger.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { apiOrigin } from "../../lib/env.ts";

const PAGE_SIZE = 20;

async function readOlder(upTo: number, signal: AbortSignal) {
  if (upTo === 0) return { entries: [], older: null };
  const after = Math.max(0, upTo - PAGE_SIZE);
  const query = { after, limit: upTo - after };
  const { entries } = await api({ path: "/ledger", query, schema: ledgerPageSchema, signal });
  return { entries: entries.toReversed(), older: after > 0 ? after : null };
}

export const proofUrl = (day: string): string => `${apiOrigin}/ledger/heads/${day}/ots`;

export const proofFilename = (day: string): string => `ledger-head-${day}.ots`;

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

export const useHeads = () =>
  useInfiniteQuery({
    queryKey: ["ledger", "heads"],
    queryFn: ({ pageParam, signal }) =>
      api({ path: "/ledger/heads", query: pageParam, schema: ledgerHeadsSchema, signal }),
    initialPageParam: {},
    getNextPageParam: ({ next_before: before }) => before && { before },
    select: ({ pages }) => pages.flatMap(({ heads }) => heads),
  });
