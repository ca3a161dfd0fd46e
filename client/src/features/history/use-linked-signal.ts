import type { HistoryItem } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLive } from "../../lib/live/live-store.ts";
import { readSignal } from "./history-api.ts";
import { historyItemOf } from "./merge-history.ts";
import type { useHistory } from "./use-history.ts";

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
  const ready = useLive((live) => live.ready);
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
