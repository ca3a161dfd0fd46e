import type { HistoryItem, Outcome, SignalKind } from "@shared/contract/signal.ts";

/** Which signals of the history are wanted; what is not said does not matter. */
export interface HistoryFilter {
  /** Part of a symbol, without regard to case. */
  symbol: string;
  signal: SignalKind | null;
  outcome: Outcome | "PENDING" | null;
}

export const noFilter: HistoryFilter = { symbol: "", signal: null, outcome: null };

export const isFiltering = ({ symbol, signal, outcome }: HistoryFilter): boolean =>
  symbol.trim() !== "" || signal !== null || outcome !== null;

/** The items that fit in every respect. */
export function filterHistory(items: HistoryItem[], filter: HistoryFilter): HistoryItem[] {
  const symbol = filter.symbol.trim().toUpperCase();
  return items.filter(
    (item) =>
      item.symbol.includes(symbol) &&
      (filter.signal === null || item.signal === filter.signal) &&
      (filter.outcome === null || (item.outcome ?? "PENDING") === filter.outcome),
  );
}
