import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useRealtime } from "../../../lib/realtime/store.ts";
import { readHistory } from "../api.ts";
import { signalKeys } from "../apply-event.ts";
import { filterHistory, type HistoryFilter } from "../history-filter.ts";

const FIRST_PAGE: string | null = null;
const TYPING_MS = 250;

/** The user's signals that match the filter; until the server has answered, the matching ones of those read before. */
export function useHistory(filter: HistoryFilter) {
  const ready = useRealtime((live) => live.ready);
  const requested = useDebouncedValue(filter, TYPING_MS);
  const query = useInfiniteQuery({
    queryKey: signalKeys.history(requested),
    queryFn: ({ pageParam, signal }) =>
      readHistory({ cursor: pageParam, filter: requested, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled: ready,
  });
  const { data } = query;
  const items = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.signals);
    return read && filterHistory(read, filter);
  }, [data, filter]);
  const isSettling = requested !== filter || query.isPlaceholderData;
  return { ...query, items, isSettling };
}

function useDebouncedValue<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
