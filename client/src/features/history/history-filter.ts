import { SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import type { HistoryItem, HistoryOutcome, SignalKind } from "@shared/contract/signal.ts";

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
