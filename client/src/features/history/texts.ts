import { TEXTS } from "@shared/contract/texts.ts";

export const historyTexts = {
  title: "Signal history",
  lead: "Every signal you asked for, newest first, and how it turned out.",
  loading: "Loading your signals",
  empty: "No signals generated yet.",
  emptyLead: "Your first signal is a minute away.",
  toBot: "Get a signal",
  timeout: TEXTS.requestTimeout,
  unreachable: "Failed to connect to the backend API.",
  tryAgain: "Try again",
  loadMore: "Load more",
  loadingMore: "Loading...",
  entry: "Entry",
  stopLoss: "Stop loss",
  takeProfit: "Take profit",
  confidence: "confidence",
  inProgress: "In progress",
  failed: "Failed",
  more: "Show all",
  less: "Show less",
} as const;

export const filterTexts = {
  symbol: "Symbol",
  symbolHint: "All symbols",
  signal: "Signal",
  anySignal: "All signals",
  outcome: "Outcome",
  anyOutcome: "All outcomes",
  clear: "Clear filters",
  found: ({ found, of, hasMore }: { found: number; of: number; hasMore: boolean }) =>
    hasMore
      ? `${found} of the newest ${of} signals match. Older ones are still being searched.`
      : `${found} of ${of} signals match.`,
} as const;

export const exportTexts = {
  save: { csv: "Export CSV", json: "Export JSON" },
  reading: (read: number) => `Reading your signals: ${read}`,
  saved: (count: number) => `Saved ${count} ${count === 1 ? "signal" : "signals"}.`,
  failed: "The export failed.",
} as const;

export const linkTexts = {
  permalink: "Link to this signal",
  back: "All signals",
  unknown: "This signal does not exist, or is no longer kept.",
} as const;

export const serverErrorText = (status: number, statusText: string): string =>
  `Server error: ${status} ${statusText}`.trim();
