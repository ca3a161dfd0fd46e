import { HISTORY_PAGE, SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import {
  type HistoryItem,
  type HistoryOutcome,
  type HistoryPage,
  historyPageSchema,
  type SignalKind,
} from "@shared/contract/signal.ts";
import { api } from "../../lib/api/client.ts";

interface HistoryParams {
  /** The one that the page before ended with; null for the first page. */
  cursor: string | null;
  limit?: number;
  filter: HistoryFilter;
  signal: AbortSignal;
}

/** One page of the user's signals that fit the filter, newest first. */
export function readHistory(order: HistoryParams): Promise<HistoryPage> {
  const { cursor, limit = HISTORY_PAGE.default, filter, signal } = order;
  return api({
    path: "/signal-history",
    query: { limit, ...filterQuery(filter), cursor: cursor ?? undefined },
    schema: historyPageSchema,
    timeoutMs: TIMEOUTS_MS.history,
    signal,
  });
}

/** Which signals of the history are wanted; what is not said does not matter. */
export interface HistoryFilter {
  /** Part of a symbol, in capitals; empty for all. */
  symbol: string;
  signal: SignalKind | null;
  outcome: HistoryOutcome | null;
}

export const noFilter: HistoryFilter = { symbol: "", signal: null, outcome: null };

export const isFiltering = ({ symbol, signal, outcome }: HistoryFilter): boolean =>
  symbol !== "" || signal !== null || outcome !== null;

/** What is typed, as far as it can be a part of a symbol. */
export const symbolPart = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z0-9/.-]/g, "")
    .slice(0, SIGNAL_LIMITS.symbolLength.max);

/** The filter as the query of `GET /signal-history`. */
export const filterQuery = ({ symbol, signal, outcome }: HistoryFilter) => ({
  ...(symbol !== "" && { symbol }),
  ...(signal !== null && { signal }),
  ...(outcome !== null && { outcome }),
});

/** The items that fit in every respect; what the server was not asked about yet, or has told of since. */
export function filterHistory(items: HistoryItem[], filter: HistoryFilter): HistoryItem[] {
  return items.filter(
    (item) =>
      item.symbol.includes(filter.symbol) &&
      (filter.signal === null || item.signal === filter.signal) &&
      (filter.outcome === null || (item.outcome ?? "PENDING") === filter.outcome),
  );
}
