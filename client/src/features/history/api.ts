import { HISTORY_PAGE, MESSAGES, SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import {
  type HistoryItem,
  type HistoryOutcome,
  type HistoryPage,
  historyPageSchema,
  type SignalKind,
} from "@shared/contract/signal.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";

/** Selects signals of the history; a field that is empty or null matches all. */
export interface HistoryFilter {
  symbol: string;
  signal: SignalKind | null;
  outcome: HistoryOutcome | null;
}

export const noFilter: HistoryFilter = { symbol: "", signal: null, outcome: null };

export const isFiltering = ({ symbol, signal, outcome }: HistoryFilter): boolean =>
  symbol !== "" || signal !== null || outcome !== null;

export const symbolPart = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z0-9/.-]/g, "")
    .slice(0, SIGNAL_LIMITS.symbolLength.max);

export const filterQuery = ({ symbol, signal, outcome }: HistoryFilter) => ({
  ...(symbol !== "" && { symbol }),
  ...(signal !== null && { signal }),
  ...(outcome !== null && { outcome }),
});

/** The items that match; for a filter the server has not been asked for yet, and for signals added by events. */
export function filterHistory(items: HistoryItem[], filter: HistoryFilter): HistoryItem[] {
  return items.filter(
    (item) =>
      item.symbol.includes(filter.symbol) &&
      (filter.signal === null || item.signal === filter.signal) &&
      (filter.outcome === null || (item.outcome ?? "PENDING") === filter.outcome),
  );
}

interface HistoryParams {
  cursor: string | null;
  limit?: number;
  filter: HistoryFilter;
  signal: AbortSignal;
}

export function readHistory(params: HistoryParams): Promise<HistoryPage> {
  const { cursor, limit = HISTORY_PAGE.default, filter, signal } = params;
  return api({
    path: "/signal-history",
    query: { limit, ...filterQuery(filter), cursor: cursor ?? undefined },
    schema: historyPageSchema,
    timeoutMs: TIMEOUTS_MS.history,
    signal,
  });
}

export function historyErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return UNREACHABLE;
  if (error.isTimeout) return MESSAGES.requestTimeout;
  if (error.status < 400) return UNREACHABLE;
  return `Server error: ${error.status} ${error.statusText}`.trim();
}

const UNREACHABLE = "Failed to connect to the backend API.";
