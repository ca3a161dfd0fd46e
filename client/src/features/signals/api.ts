import { HISTORY_PAGE, MESSAGES, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { signalCandlesSchema, statusSchema } from "@shared/contract/market-data.ts";
import { signalProgressSchema } from "@shared/contract/resolution.ts";
import {
  type HistoryPage,
  historyPageSchema,
  type SignalAccepted,
  type SignalRequest,
  type SignalResponse,
  signalAcceptedSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { signalKeys } from "./apply-event.ts";
import { filterQuery, type HistoryFilter } from "./history-filter.ts";

/** A repeated request may be answered with the signal itself. */
const signalReplySchema = z.union([signalResponseSchema, signalAcceptedSchema]);

interface SignalPayload {
  /** The same key never makes a second signal, nor costs a second credit. */
  key: string;
  request: SignalRequest;
  /** A chart image to be analysed with the candles; costs a credit. */
  image: File | null;
}

export const requestSignal = ({
  key,
  request,
  image,
}: SignalPayload): Promise<SignalResponse | SignalAccepted> =>
  api({
    method: "POST",
    path: image ? "/get-signal-with-image" : "/get-signal",
    body: image ? imageForm(request, image) : request,
    headers: { Prefer: "respond-async", "Idempotency-Key": key },
    timeoutMs: image ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal,
    schema: signalReplySchema,
  });

function imageForm(request: SignalRequest, image: File): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(request)) form.set(field, String(value));
  form.set("chart_image", image);
  return form;
}

export const readSignal = (id: string, signal: AbortSignal): Promise<SignalResponse> =>
  api({ path: "/signals/:id", params: { id }, schema: signalResponseSchema, signal });

export const candlesQuery = (id: string) =>
  queryOptions({
    queryKey: signalKeys.candles(id),
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id/candles", params: { id }, schema: signalCandlesSchema, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The candles since a signal was made, its outcome, and since when it is shared. */
export const progressQuery = (id: string) =>
  queryOptions({
    queryKey: signalKeys.progress(id),
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id/since", params: { id }, schema: signalProgressSchema, signal }),
  });

/** So that a lost price feed is shown within 30 s: its worker notices it after 15 s of silence. */
const STATUS_POLL_INTERVAL_MS = 10_000;

/** Whether a signal requested now would use recorded candles, or rules instead of a model. */
export function useDemoStatus() {
  const { data, isPending } = useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api({ path: "/status", schema: statusSchema, signal }),
    refetchInterval: STATUS_POLL_INTERVAL_MS,
    // Further parts of the page need it soon after the first.
    staleTime: STATUS_POLL_INTERVAL_MS,
  });
  return {
    isPending,
    isReplay: data?.market_data === "replay",
    isRules: data?.analyst === "rules",
    hasLostPrices: (data?.lost_price_feeds ?? 0) > 0,
  };
}

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
