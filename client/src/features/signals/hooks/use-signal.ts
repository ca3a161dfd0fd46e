import type { SignalResponse } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { backoffMs } from "../../../lib/backoff.ts";
import { useRealtime } from "../../../lib/realtime/store.ts";
import { readSignal } from "../api.ts";
import { isFinished, signalKeys } from "../apply-event.ts";

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
    queryFn: ({ signal }) => readSignal(id ?? "", signal),
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
