import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type HistoryPage, historyPageSchema } from "@shared/contract/signal.ts";
import { api } from "../../lib/api/api.ts";

/** One page of the user's signals, newest first; `cursor` is the page's before, null for the first. */
export function readHistory(cursor: string | null, signal: AbortSignal): Promise<HistoryPage> {
  const query = cursor === null ? "" : `?${new URLSearchParams({ cursor })}`;
  return api({
    path: `/signal-history${query}`,
    schema: historyPageSchema,
    timeoutMs: TIMEOUTS_MS.history,
    signal,
  });
}
