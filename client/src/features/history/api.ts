import {
  HISTORY_PAGE,
  MESSAGES,
  SIGNAL_LIMITS,
  TIMEFRAMES,
  TIMEOUTS_MS,
} from "@shared/contract/constants.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import {
  type HistoryItem,
  type HistoryOutcome,
  type HistoryPage,
  historyPageSchema,
  historyTotalsSchema,
  outcomeSchema,
  type SignalKind,
  type SignalOrigin,
  signalKindSchema,
  signalOriginSchema,
} from "@shared/contract/signal.ts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { signalKeys } from "../signals/apply-event.ts";

/** Selects signals of the history; a field that is empty or null matches all. */
export interface HistoryFilter {
  symbol: string;
  signal: SignalKind | null;
  outcome: HistoryOutcome | null;
  timeframe: Timeframe | null;
  origin: SignalOrigin | null;
  /** First and last day, in the time zone of the reader, as `2026-11-27`. */
  from: string;
  to: string;
}

export const noFilter: HistoryFilter = {
  symbol: "",
  signal: null,
  outcome: null,
  timeframe: null,
  origin: null,
  from: "",
  to: "",
};

/** How many fields select. */
export const countFilters = (filter: HistoryFilter): number =>
  Object.values(filter).filter(Boolean).length;

export const isFiltering = (filter: HistoryFilter): boolean => countFilters(filter) > 0;

export const symbolPart = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z0-9/.-]/g, "")
    .slice(0, SIGNAL_LIMITS.symbolLength.max);

const oneOf = <Value extends string>(values: readonly Value[], text: string | null) =>
  values.find((value) => value === text) ?? null;

/** The filter that the address of the page says; what it does not understand selects nothing. */
export function filterOfAddress(address: URLSearchParams): HistoryFilter {
  const dayOf = (name: string) => (startOf(address.get(name) ?? "", 0) ? address.get(name) : "");
  return {
    symbol: symbolPart(address.get("symbol") ?? ""),
    signal: oneOf(signalKindSchema.options, address.get("signal")),
    outcome: oneOf(HISTORY_OUTCOMES, address.get("outcome")),
    timeframe: oneOf(TIMEFRAMES, address.get("timeframe")),
    origin: oneOf(signalOriginSchema.options, address.get("origin")),
    from: dayOf("from") ?? "",
    to: dayOf("to") ?? "",
  };
}

export const HISTORY_OUTCOMES = ["PENDING", ...outcomeSchema.options] as const;

export const addressOfFilter = (filter: HistoryFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => Boolean(value)));

/** When a day begins for the reader, or a later one; null for what is not a day. */
function startOf(day: string, daysLater: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (!year) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(start.getTime()) ? null : start.toISOString();
}

export function filterQuery(filter: HistoryFilter) {
  const { symbol, signal, outcome, timeframe, origin } = filter;
  const since = startOf(filter.from, 0);
  const until = startOf(filter.to, 1);
  return {
    ...(symbol !== "" && { symbol }),
    ...(signal !== null && { signal }),
    ...(outcome !== null && { outcome }),
    ...(timeframe !== null && { timeframe }),
    ...(origin !== null && { origin }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  };
}

/** The items that match; for a filter the server has not been asked for yet, and for signals added by events. */
export function filterHistory(items: HistoryItem[], filter: HistoryFilter): HistoryItem[] {
  const { symbol = "", since = "", until, ...wanted } = filterQuery(filter);
  return items.filter(
    (item) =>
      item.symbol.includes(symbol) &&
      (!wanted.signal || item.signal === wanted.signal) &&
      (!wanted.outcome || outcomeOf(item) === wanted.outcome) &&
      (!wanted.timeframe || item.timeframe === wanted.timeframe) &&
      (!wanted.origin || (item.origin ?? "request") === wanted.origin) &&
      item.timestamp >= since &&
      (until === undefined || item.timestamp < until),
  );
}

/** A WAIT has none, now or later. */
export const outcomeOf = ({ outcome, signal }: HistoryItem): HistoryOutcome | null =>
  outcome ?? (signal === "WAIT" ? null : "PENDING");

export const totalsQuery = (filter: HistoryFilter, isReady: boolean) =>
  queryOptions({
    queryKey: signalKeys.totals(filter),
    queryFn: ({ signal }) =>
      api({
        path: "/signal-history/totals",
        query: filterQuery(filter),
        schema: historyTotalsSchema,
        timeoutMs: TIMEOUTS_MS.history,
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled: isReady,
  });

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
