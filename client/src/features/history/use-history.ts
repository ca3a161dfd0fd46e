import { keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { LiveEvent } from "../../lib/live/live-event.ts";
import { onLiveEvent } from "../../lib/live/live-listeners.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { queryClient } from "../../lib/query-client.ts";
import { readAgain } from "../../lib/read-again.ts";
import { readHistory } from "./history-api.ts";
import { filterHistory, type HistoryFilter } from "./history-filter.ts";
import { mergeHistory } from "./merge-history.ts";
import { useSettled } from "./use-settled.ts";

const QUERY_KEY = ["signal-history"] as const;
const FIRST_PAGE: string | null = null;
const TYPING_MS = 250;

/**
 * The user's signals that fit the filter, as far as they have been read, kept up to date by the live events. While the
 * server is asked, what was read before is shown as far as it fits.
 */
export function useHistory(filter: HistoryFilter) {
  const ready = useLive((live) => live.ready);
  const signals = useLive((live) => live.signals);
  const outcomes = useLive((live) => live.outcomes);
  const entriesLeft = useLive((live) => live.entriesLeft);
  const asked = useSettled(filter, TYPING_MS);
  const query = useInfiniteQuery({
    queryKey: [...QUERY_KEY, asked],
    queryFn: ({ pageParam, signal }) => readHistory({ cursor: pageParam, filter: asked, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled: ready,
  });
  useEffect(() => onLiveEvent(follow), []);
  const { data, hasNextPage } = query;
  const items = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.signals);
    if (!read) return;
    const live = { signals, outcomes, entriesLeft };
    return filterHistory(mergeHistory({ items: read, hasMore: hasNextPage, live }), filter);
  }, [data, hasNextPage, signals, outcomes, entriesLeft, filter]);
  const isSettling = asked !== filter || query.isPlaceholderData;
  return { ...query, items, isSettling };
}

/** An outcome may let a signal in that a filter has kept out so far. */
function follow({ name }: LiveEvent): void {
  if (name === "history:cleared") void queryClient.resetQueries({ queryKey: QUERY_KEY });
  if (name !== "signal:outcome") return;
  void readAgain({ queryKey: QUERY_KEY, predicate: isByOutcome });
}

const isByOutcome = ({ queryKey: [, filter] }: { queryKey: QueryKey }): boolean =>
  typeof filter === "object" && filter !== null && "outcome" in filter && filter.outcome !== null;
