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

export const serverErrorText = (status: number, statusText: string): string =>
  `Server error: ${status} ${statusText}`.trim();
