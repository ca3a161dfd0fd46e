import { HISTORY_PAGE, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import {
  type HistoryPage,
  historyPageSchema,
  type SignalResponse,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import { api } from "../../lib/api/api.ts";
import { filterQuery, type HistoryFilter } from "./history-filter.ts";

interface PageOrder {
  /** The one that the page before ended with; null for the first page. */
  cursor: string | null;
  limit?: number;
  filter: HistoryFilter;
  signal: AbortSignal;
}

/** One page of the user's signals that fit the filter, newest first. */
export function readHistory(order: PageOrder): Promise<HistoryPage> {
  const { cursor, limit = HISTORY_PAGE.default, filter, signal } = order;
  const query = new URLSearchParams({ limit: String(limit), ...filterQuery(filter) });
  if (cursor !== null) query.set("cursor", cursor);
  return api({
    path: `/signal-history?${query}`,
    schema: historyPageSchema,
    timeoutMs: TIMEOUTS_MS.history,
    signal,
  });
}

export const readSignal = (id: string, signal: AbortSignal): Promise<SignalResponse> =>
  api({ path: `/signals/${encodeURIComponent(id)}`, schema: signalResponseSchema, signal });
