import { HISTORY_PAGE, MESSAGES, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type HistoryPage, historyPageSchema } from "@shared/contract/signal.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { filterQuery, type HistoryFilter } from "./history-filter.ts";

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
