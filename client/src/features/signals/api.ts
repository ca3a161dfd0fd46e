import { signalCandlesSchema, statusSchema } from "@shared/contract/market-data.ts";
import { signalProgressSchema } from "@shared/contract/resolution.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { backoffMs } from "../../lib/backoff.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { isFinished, signalKeys } from "./apply-event.ts";

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

/** While events arrive, polling only covers for one that was lost. */
const ONLINE_POLL_INTERVAL_MS = 15_000;

const isDone = (signal: SignalResponse | undefined) =>
  signal !== undefined && isFinished(signal.status);

export function pollDelayMs(poll: {
  signal: SignalResponse | undefined;
  online: boolean;
  polls: number;
}): number | false {
  if (isDone(poll.signal)) return false;
  return poll.online ? ONLINE_POLL_INTERVAL_MS : backoffMs(poll.polls);
}

/** One of the user's signals, kept current by events and, until it is finished, by polling. */
export function useSignal(id: string | null) {
  const online = useRealtime((live) => live.connection === "online");
  const ready = useRealtime((live) => live.ready);
  return useQuery({
    queryKey: signalKeys.detail(id ?? ""),
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id", params: { id: id ?? "" }, schema: signalResponseSchema, signal }),
    enabled: id !== null && ready,
    staleTime: ({ state }) =>
      isDone(state.data) ? Number.POSITIVE_INFINITY : ONLINE_POLL_INTERVAL_MS,
    refetchInterval: ({ state }) =>
      pollDelayMs({
        signal: state.data,
        online,
        polls: state.dataUpdateCount + state.errorUpdateCount,
      }),
  });
}
