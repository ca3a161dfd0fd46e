import { MESSAGES } from "@shared/contract/messages.ts";
import { ApiError } from "../../lib/api/errors.ts";

export const historyMessages = {
  title: "Signal history",
  lead: "Every signal you asked for, newest first, and how it turned out.",
  toPerformance: "How all signals turned out",
  loading: "Loading your signals",
  empty: "No signals generated yet.",
  emptyLead: "Your first signal is a minute away.",
  toBot: "Get a signal",
  timeout: MESSAGES.requestTimeout,
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
  open: "Open this signal",
} as const;

export const filterMessages = {
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

export const entryMessages = {
  left: ({ price, at }: { price: string; at: string }) =>
    `Price has left the entry zone (${price} at ${at}).`,
  expired: (until: string) => `The entry was valid until ${until}.`,
} as const;

export const exportMessages = {
  save: { csv: "Export CSV", json: "Export JSON" },
  reading: (read: number) => `Reading your signals: ${read}`,
  saved: (count: number) => `Saved ${count} ${count === 1 ? "signal" : "signals"}.`,
  failed: "The export failed.",
} as const;

const serverErrorText = (status: number, statusText: string): string =>
  `Server error: ${status} ${statusText}`.trim();

/** What is shown when the history cannot be read. */
export function historyErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return historyMessages.unreachable;
  if (error.isTimeout) return historyMessages.timeout;
  if (error.status >= 400) return serverErrorText(error.status, error.statusText);
  return historyMessages.unreachable;
}

export const signalMessages = {
  title: (name: string) => `Signal ${name}`,
  back: "All signals",
  loading: "Loading the signal",
  unknown: "This signal does not exist, or is no longer kept.",
  unreachable: "The signal cannot be shown right now.",
  tryAgain: "Try again",
  running: "The analysis is still running. Its result appears here as soon as it is ready.",
  failed: "The analysis failed, so there is nothing to judge.",
  entry: "Entry",
  stopLoss: "Stop loss",
  takeProfit: "Take profit",
  hold: "Suggested hold",
  validUntil: "Entry valid until",
  rationale: "Rationale",
  evidence: "Key evidence",
  watch: "What to watch for",
  warnings: "Please note",
  source: "Made from",
  data: { live: "Live data", replay: "Recorded data", none: "No data" },
  analyst: { openai: "an AI model", rules: "fixed rules", none: "nobody" },
} as const;

export const outcomeMessages = {
  title: "How it turned out",
  pending: "Open",
  pendingLead:
    "The market has not judged this signal yet. Every candle that closes is held against its entry, stop and target.",
  wait: "A WAIT is not judged: there was nothing to trade.",
  result: "Result",
  fill: "Filled",
  exit: "Closed",
  judged: "Judged",
  notFilled: "Not filled",
  excursion: "How far it went",
  best: "Best",
  worst: "Worst",
  net: "In R, the distance from entry to stop, after the cost of the trade. Judged by closed candles; where they leave open what came first, the worse counts.",
  excursionOf: (best: string, worst: string) =>
    `At best ${best} ahead, at worst ${worst} behind, between the fill and the end.`,
} as const;

export const chartMessages = {
  title: "Before and since",
  made: "Signal",
  fill: "Fill",
  exit: "Exit",
  credit: "Chart by TradingView",
  none: "The candles of this signal cannot be shown right now.",
  words: (facts: {
    name: string;
    before: number;
    since: number;
    low: string;
    high: string;
    close: string;
  }) =>
    `${facts.name}: ${facts.before} candles before the signal, ${facts.since} since. Low ${facts.low}, high ${facts.high}, last close ${facts.close}.`,
} as const;

export const shareMessages = {
  title: "Show it to others",
  lead: "Whoever has the link sees the signal, its chart and its result. Nothing of you: no name, no amount, no position size, no picture.",
  create: "Create link",
  renew: "New link",
  revoke: "Stop sharing",
  revokeTitle: "Stop sharing this signal?",
  revokeLoss: "The link stops working at once, for everybody who has it.",
  since: (time: string) =>
    `Shared since ${time}. The link is shown only when it is made; a new one takes the place of the old.`,
  linkName: "Link to this signal",
  failed: "The link could not be changed. Please try again.",
} as const;

export const sharedMessages = {
  lead: "Shared by a trader who uses this service.",
  gone: "This link does not work any more.",
  goneLead: "Whoever shared the signal has stopped sharing it, or it is no longer kept.",
  toHome: "What is this service?",
  disclaimer: "Signals are not financial advice. Past results promise nothing.",
} as const;
