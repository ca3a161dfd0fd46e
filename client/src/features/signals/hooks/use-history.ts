import type { HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { queryClient, refetch } from "../../../lib/query-client.ts";
import { type LiveEvent, onLiveEvent } from "../../../lib/realtime/events.ts";
import { isFinished, type LiveState, useRealtime } from "../../../lib/realtime/store.ts";
import { readSignal } from "../api.ts";
import { filterHistory, type HistoryFilter, readHistory } from "../history-api.ts";

const QUERY_KEY = ["signal-history"] as const;
const FIRST_PAGE: string | null = null;
const TYPING_MS = 250;

/**
 * The user's signals that fit the filter, as far as they have been read, kept up to date by the live events. While the
 * server is asked, what was read before is shown as far as it fits.
 */
export function useHistory(filter: HistoryFilter) {
  const ready = useRealtime((live) => live.ready);
  const signals = useRealtime((live) => live.signals);
  const outcomes = useRealtime((live) => live.outcomes);
  const entriesLeft = useRealtime((live) => live.entriesLeft);
  const asked = useDebouncedValue(filter, TYPING_MS);
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
  void refetch({ queryKey: QUERY_KEY, predicate: isByOutcome });
}

const isByOutcome = ({ queryKey: [, filter] }: { queryKey: QueryKey }): boolean =>
  typeof filter === "object" && filter !== null && "outcome" in filter && filter.outcome !== null;

/** A signal as the live events tell of it, as an item of the history. */
function historyItemOf(signal: SignalResponse): HistoryItem {
  const { signal_id, created_at, symbol, timeframe, status, analysis } = signal;
  const calibrated = analysis?.calibrated_confidence;
  return {
    id: signal_id,
    timestamp: created_at,
    symbol,
    timeframe,
    status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    ...(typeof calibrated === "number" && { calibrated_confidence: calibrated }),
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    valid_until: analysis?.valid_until ?? null,
    entry_left: signal.entry_left ?? null,
    rationale: analysis?.raw_ai.rationale ?? "",
  };
}

interface MergeInput {
  /** What was read over REST, newest first. */
  items: HistoryItem[];
  /** Whether older items are still to be read. */
  hasMore: boolean;
  live: Pick<LiveState, "signals" | "outcomes" | "entriesLeft">;
}

/**
 * The history with what has happened since it was read: finished signals and outcomes that the live events told of.
 * Live signals older than the last item read wait for their page.
 */
export function mergeHistory({ items, hasMore, live }: MergeInput): HistoryItem[] {
  const oldest = items.at(-1)?.timestamp ?? "";
  const merged = new Map(items.map((item) => [item.id, item]));
  for (const signal of Object.values(live.signals)) {
    const isInReach = !hasMore || signal.created_at >= oldest;
    const known = merged.get(signal.signal_id);
    if (isFinished(signal.status) && isInReach && !(known && isFinished(known.status))) {
      merged.set(signal.signal_id, historyItemOf(signal));
    }
  }
  return [...merged.values()]
    .map((item) => withNews(item, live))
    .sort((a, b) => b.timestamp.localeCompare(a.timestamp));
}

function withNews(item: HistoryItem, live: MergeInput["live"]): HistoryItem {
  const outcome = live.outcomes[item.id];
  const entryLeft = live.entriesLeft[item.id];
  return { ...item, ...(outcome && { outcome }), ...(entryLeft && { entry_left: entryLeft }) };
}

type History = ReturnType<typeof useHistory>;

interface LinkedSignal {
  /** Undefined until it is known. */
  item: HistoryItem | undefined;
  error: Error | null;
}

/**
 * The one signal that an address names. Its outcome is in the history only, which is read on as far as the signal's
 * time; one that is still being worked on is shown as it stands.
 */
export function useLinkedSignal(id: string, history: History): LinkedSignal {
  const ready = useRealtime((live) => live.ready);
  const found = history.items?.find((item) => item.id === id);
  const signal = useQuery({
    queryKey: ["linked-signal", id],
    queryFn: (context) => readSignal(id, context.signal),
    enabled: ready && !found,
  });
  const oldest = history.items?.at(-1)?.timestamp;
  const isFurtherBack =
    signal.data !== undefined && oldest !== undefined && signal.data.created_at <= oldest;
  const goOn = !found && isFurtherBack && history.hasNextPage && !history.error;
  const { isFetchingNextPage, fetchNextPage } = history;
  useEffect(() => {
    if (goOn && !isFetchingNextPage) void fetchNextPage();
  }, [goOn, isFetchingNextPage, fetchNextPage]);
  if (found) return { item: found, error: null };
  const isSettled = signal.data && history.items && !goOn;
  return {
    item: isSettled ? historyItemOf(signal.data) : undefined,
    error: signal.error ?? history.error,
  };
}

/** `value` once it has not changed for `delayMs`; so that a word being typed is one question and not one per letter. */
function useDebouncedValue<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
