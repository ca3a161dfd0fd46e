import type { SignalResponse } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../../lib/api/errors.ts";
import { backoffMs } from "../../../lib/backoff.ts";
import { isFinished, newerSignal, useRealtime } from "../../../lib/realtime/store.ts";
import { readSignal } from "../api.ts";
import { untrack } from "../bot-store.ts";

/** While events come in, REST is only asked in case one was not sent. */
const SAFETY_MS = 15_000;

export const signalQueryKey = (id: string) => ["signal", id] as const;

const isDone = (signal: SignalResponse | undefined) =>
  signal !== undefined && isFinished(signal.status);

/** How long until REST is asked for a signal again; false once it is finished. */
export function pollDelayMs(poll: {
  signal: SignalResponse | undefined;
  online: boolean;
  polls: number;
}): number | false {
  if (isDone(poll.signal)) return false;
  return poll.online ? SAFETY_MS : backoffMs(poll.polls);
}

/**
 * State of a signal, from the live events and, where those do not tell, from REST.
 * Undefined while nothing is known; a signal that the server does not know is no longer tracked.
 */
export function useSignal(id: string | null): SignalResponse | undefined {
  const live = useRealtime((state) => (id === null ? undefined : state.signals[id]));
  const online = useRealtime((state) => state.connection === "online");
  const ready = useRealtime((state) => state.ready);
  const rest = useQuery({
    queryKey: signalQueryKey(id ?? ""),
    queryFn: ({ signal }) => readSignal(id ?? "", signal),
    enabled: id !== null && ready && !isDone(live),
    staleTime: ({ state }) => (isDone(state.data) ? Number.POSITIVE_INFINITY : SAFETY_MS),
    refetchInterval: ({ state }) =>
      pollDelayMs({
        signal: state.data,
        online,
        polls: state.dataUpdateCount + state.errorUpdateCount,
      }),
  });
  const isGone = rest.error instanceof ApiError && rest.error.status === 404;
  useEffect(() => {
    if (isGone && id !== null) untrack(id);
  }, [isGone, id]);
  return rest.data ? newerSignal(live, rest.data) : live;
}
