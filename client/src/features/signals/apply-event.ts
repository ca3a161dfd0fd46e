import type { EventData } from "@shared/contract/events/event-data.ts";
import {
  type HistoryItem,
  type HistoryPage,
  historyItemOf,
  type SignalResponse,
  type SignalStatus,
  type TradeProgress,
  tradeProgressOf,
} from "@shared/contract/signal.ts";
import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { patchQueries, queryClient, refetch, refetchOutdated } from "../../lib/query-client.ts";
import type { LiveEvent } from "../../lib/realtime/events.ts";

/** Keys of the query cache, the only place where the browser keeps signals. */
export const signalKeys = {
  all: ["signals"],
  newest: ["signals", "newest"],
  details: ["signals", "detail"],
  histories: ["signals", "history"],
  detail: (id: string) => ["signals", "detail", id],
  allTotals: ["signals", "totals"],
  totals: (filter: object) => ["signals", "totals", filter],
  history: (filter: object) => ["signals", "history", filter],
  candles: (id: string) => ["signals", "candles", id],
  progress: (id: string) => ["signals", "progress", id],
} as const;

// A notification opens its signal however long ago the event arrived.
queryClient.setQueryDefaults(signalKeys.details, { gcTime: Number.POSITIVE_INFINITY });

const PROGRESS: Record<SignalStatus, number> = { queued: 0, running: 1, completed: 2, failed: 2 };

export const isFinished = (status: SignalStatus): boolean => PROGRESS[status] === 2;

/** Patches everything that has been read of signals with an event of the user's stream. */
export function applySignalEvent(event: LiveEvent): void {
  switch (event.name) {
    case "signal:queued":
      return storeSignal(pendingSignal(event, "queued"));
    case "signal:started":
      return storeSignal(pendingSignal(event, "running"));
    case "signal:completed":
    case "signal:failed":
      storeSignal(event.data);
      void refetch({ queryKey: signalKeys.allTotals });
      return patchHistories((pages) => withFinished(pages, historyItemOf(event.data)));
    case "signal:filled": {
      const { signal_id: id, price, filled_at } = event.data;
      return patchSignal(id, { filled: { price, at: filled_at } });
    }
    case "signal:outcome":
      return applyOutcome(event.data);
    case "signal:entry-left": {
      const { signal_id: id, ...entry_left } = event.data;
      return patchSignal(id, { entry_left });
    }
    case "history:cleared":
      return void resetSignals();
  }
}

function patchSignal(id: string, change: TradeProgress): void {
  patchQueries<SignalResponse>(signalKeys.detail(id), (signal) => ({ ...signal, ...change }));
  patchHistories((pages) => withChange(pages, id, change));
}

function applyOutcome({ signal_id, outcome }: EventData<"signal:outcome">): void {
  patchSignal(signal_id, { outcome });
  void refetch({ queryKey: signalKeys.progress(signal_id) });
  void refetch({ queryKey: signalKeys.allTotals });
  // A filter may have excluded the signal until now.
  void refetch({ queryKey: signalKeys.histories, predicate: isFilteredByOutcome });
}

const isFilteredByOutcome = ({ queryKey: [, , filter] }: { queryKey: QueryKey }): boolean =>
  typeof filter === "object" && filter !== null && "outcome" in filter && filter.outcome !== null;

/** Cancelling first gives screens the time to forget deleted signals, which they would otherwise request again. */
async function resetSignals(): Promise<void> {
  await queryClient.cancelQueries({ queryKey: signalKeys.all });
  await queryClient.resetQueries({ queryKey: signalKeys.all });
}

/** Never moves `status` or the progress of the trade backwards. An `updatedAt` of 0 has the signal read again at once. */
export function storeSignal(signal: SignalResponse, updatedAt = Date.now()): void {
  const queryKey = signalKeys.detail(signal.signal_id);
  const newest = (known: SignalResponse | undefined) =>
    known && PROGRESS[known.status] > PROGRESS[signal.status]
      ? known
      : { ...(known && tradeProgressOf(known)), ...signal };
  queryClient.setQueryData<SignalResponse>(queryKey, newest, { updatedAt });
  refetchOutdated(queryKey);
}

function patchHistories(change: (pages: HistoryPage[]) => HistoryPage[]): void {
  patchQueries<InfiniteData<HistoryPage>>(signalKeys.histories, (history) => ({
    ...history,
    pages: change(history.pages),
  }));
}

function pendingSignal(
  event: Extract<LiveEvent, { name: "signal:queued" | "signal:started" }>,
  status: "queued" | "running",
): SignalResponse {
  return { ...event.data, status, created_at: event.at, origin: "request", analysis: null };
}

function withChange(pages: HistoryPage[], id: string, change: Partial<HistoryItem>): HistoryPage[] {
  return pages.map((page) => ({
    ...page,
    signals: page.signals.map((item) => (item.id === id ? { ...item, ...change } : item)),
  }));
}

/** Adds a finished signal in the order of time. One that is older than all pages read waits for its page. */
function withFinished(pages: HistoryPage[], item: HistoryItem): HistoryPage[] {
  const known = pages.flatMap(({ signals }) => signals).find(({ id }) => id === item.id);
  if (known) return isFinished(known.status) ? pages : withChange(pages, item.id, item);
  const index = pages.findIndex(
    ({ signals, next_cursor }) =>
      next_cursor === null || (signals.at(-1)?.timestamp ?? "") <= item.timestamp,
  );
  return pages.map((page, at) =>
    at === index ? { ...page, signals: [...page.signals, item].sort(byTimeDescending) } : page,
  );
}

const byTimeDescending = (a: HistoryItem, b: HistoryItem) => b.timestamp.localeCompare(a.timestamp);
