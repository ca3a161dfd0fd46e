import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import {
  type NewWatchlistItem,
  type Watchlist,
  type WatchlistItem,
  type WatchlistItemChange,
  watchlistItemSchema,
  watchlistSchema,
} from "@shared/contract/watchlist.ts";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { api } from "../lib/api/client.ts";
import { hasCode } from "../lib/api/errors.ts";
import { patchQueries, queryClient, refetch } from "../lib/query-client.ts";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";

const queryKey = ["watchlist"];

/** A little after a close, the next one is known. */
const AFTER_CLOSE_MS = 1_000;
/** Analyses of watched markets finish within a minute; those without a trade have no event. */
const RESULT_WITHIN_MS = 90_000;
const RESULT_POLL_INTERVAL_MS = 10_000;

const watchlistQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => api({ path: "/watchlist", schema: watchlistSchema, signal }),
  refetchInterval: ({ state }) => nextReadMs(state.data?.items ?? [], Date.now()),
  // Another tab or device may have changed it.
  refetchOnWindowFocus: "always",
});

export function useWatchlist() {
  const ready = useRealtime((live) => live.ready);
  return useQuery({ ...watchlistQuery, enabled: ready });
}

/** When a list should be read again because a watched candle has closed or will close; false if none will. */
export function nextReadMs(items: readonly WatchlistItem[], now: number): number | false {
  const waits = items.flatMap(({ enabled, timeframe, next_at, last }) => {
    if (!enabled || next_at === null) return [];
    const nextAt = Date.parse(next_at);
    const closedAt = nextAt - TIMEFRAME_MS[timeframe];
    const hasResult = last !== null && Date.parse(last.at) >= closedAt;
    const isAwaited = !hasResult && now < closedAt + RESULT_WITHIN_MS;
    const untilRead = Math.max(nextAt + AFTER_CLOSE_MS - now, AFTER_CLOSE_MS);
    return isAwaited ? Math.min(untilRead, RESULT_POLL_INTERVAL_MS) : untilRead;
  });
  return waits.length > 0 && Math.min(...waits);
}

export const refetchWatchlist = (): Promise<void> => refetch({ queryKey });

interface Market {
  symbol: string;
  timeframe: Timeframe;
}

export const findItem = (list: Watchlist | undefined, market: Market): WatchlistItem | undefined =>
  list?.items.find(
    ({ symbol, timeframe }) => symbol === market.symbol && timeframe === market.timeframe,
  );

onLiveEvent((event) => {
  const list = queryClient.getQueryData(watchlistQuery.queryKey);
  const isResult = event.name === "signal:completed" || event.name === "signal:failed";
  const isListed = isResult && findItem(list, event.data) !== undefined;
  if (isListed || event.name === "history:cleared") void refetchWatchlist();
});

const patchItems = (change: (items: WatchlistItem[]) => WatchlistItem[]): void =>
  patchQueries<Watchlist>(queryKey, (list) => ({ ...list, items: change(list.items) }));

const patchItem = (id: string, change: Partial<WatchlistItem>): void =>
  patchItems((items) => items.map((item) => (item.id === id ? { ...item, ...change } : item)));

const withItem = (items: WatchlistItem[], item: WatchlistItem): WatchlistItem[] =>
  [...items.filter(({ id }) => id !== item.id), item].sort((a, b) =>
    a.created_at.localeCompare(b.created_at),
  );

export async function addItem(body: NewWatchlistItem): Promise<WatchlistItem> {
  const request = { method: "POST", path: "/watchlist", body } as const;
  const item = await api({ ...request, schema: watchlistItemSchema });
  patchItems((items) => withItem(items, item));
  return item;
}

const itemRoute = ({ id }: Pick<WatchlistItem, "id">) =>
  ({ path: "/watchlist/:id", params: { id } }) as const;

const sendChange = (item: WatchlistItem, body: WatchlistItemChange): Promise<WatchlistItem> =>
  api({ method: "PATCH", ...itemRoute(item), body, schema: watchlistItemSchema });

/** Changes of an item, shown at once and taken back if they fail. */
export const useChangeItem = (item: WatchlistItem) =>
  useMutation({
    scope: { id: item.id },
    mutationKey: queryKey,
    mutationFn: (change: WatchlistItemChange) => sendChange(item, change),
    onMutate({ symbol: _symbol, timeframe: _timeframe, ...change }) {
      patchItem(item.id, change);
      return item;
    },
    onError: (_error, _change, before) => before && patchItem(item.id, before),
    onSettled() {
      // A read while another change is under way would show the state before it.
      if (queryClient.isMutating({ mutationKey: queryKey }) === 1) void refetchWatchlist();
    },
  });

/** Gone at once, and back if it fails. */
export async function removeItem(item: WatchlistItem): Promise<void> {
  patchItems((items) => items.filter(({ id }) => id !== item.id));
  try {
    await api({ method: "DELETE", ...itemRoute(item), schema: z.undefined() });
  } catch (error) {
    // Another tab or device was faster.
    if (hasCode(error, "not-found")) return;
    patchItems((items) => withItem(items, item));
    throw error;
  }
}

/** Watches a market again as it was before it was removed. */
export async function restoreItem(item: WatchlistItem): Promise<void> {
  const { symbol, timeframe, min_confidence, amount, risk_percent, leverage, enabled } = item;
  const terms = { min_confidence, amount, risk_percent, leverage };
  const added = await addItem({ symbol, timeframe, ...terms });
  if (enabled) return;
  const changed = await sendChange(added, { enabled });
  patchItem(added.id, changed);
}
