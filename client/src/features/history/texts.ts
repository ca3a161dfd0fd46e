import { TEXTS } from "@shared/contract/texts.ts";

export const historyTexts = {
  title: "Signal history",
  lead: "Every signal you asked for, newest first, and how it turned out.",
  toPerformance: "How all signals turned out",
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
  searching: "Searching your signals",
  found: (found: number, hasMore: boolean) =>
    hasMore
      ? `The newest ${found} matching signals.`
      : `${found} matching ${found === 1 ? "signal" : "signals"}.`,
  noMatch: "No signal matches.",
  noMatchLead: "None of your signals fits all of the filters.",
  showAll: "Show all signals",
} as const;

export const entryTexts = {
  left: ({ price, at }: { price: string; at: string }) =>
    `Price has left the entry zone (${price} at ${at}).`,
  expired: (until: string) => `The entry was valid until ${until}.`,
} as const;

export const exportTexts = {
  save: { csv: "Export CSV", json: "Export JSON" },
  reading: (read: number) => `Reading your signals: ${read}`,
  saved: (count: number) => `Saved ${count} ${count === 1 ? "signal" : "signals"}.`,
  failed: "The export failed.",
} as const;

export const linkTexts = {
  open: "Open this signal",
  back: "All signals",
  unknown: "This signal does not exist, or is no longer kept.",
} as const;

export const serverErrorText = (status: number, statusText: string): string =>
  `Server error: ${status} ${statusText}`.trim();
