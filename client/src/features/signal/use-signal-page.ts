import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { onLiveEvent } from "../../lib/live/live-listeners.ts";
import { isFinished } from "../../lib/live/live-state.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { readAgain } from "../../lib/read-again.ts";
import { readCandles, readSignal, readSince } from "./signal-api.ts";

/** How often an open signal's candles are read anew; its judgement is pushed. */
const OPEN_EVERY_MS = 60_000;
/** In case no event tells that a signal is finished. */
const RUNNING_EVERY_MS = 15_000;

const keyOf = (id: string) => ["signal-page", id] as const;

/** Everything about one of the user's signals, kept up to date by the live events. */
export function useSignalPage(id: string) {
  const ready = useLive((live) => live.ready);
  const signal = useQuery({
    queryKey: [...keyOf(id), "signal"],
    queryFn: (context) => readSignal(id, context.signal),
    enabled: ready,
    refetchInterval: ({ state }) =>
      state.data && !isFinished(state.data.status) ? RUNNING_EVERY_MS : false,
  });
  const isCompleted = signal.data?.status === "completed";
  const candles = useQuery({
    queryKey: [...keyOf(id), "candles"],
    queryFn: (context) => readCandles(id, context.signal),
    enabled: isCompleted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isTrade = isCompleted && signal.data?.analysis?.final_signal !== "WAIT";
  const since = useQuery({
    queryKey: [...keyOf(id), "since"],
    queryFn: (context) => readSince(id, context.signal),
    enabled: isCompleted,
    refetchInterval: ({ state }) => (isTrade && !state.data?.judgement ? OPEN_EVERY_MS : false),
  });
  useEffect(
    () =>
      onLiveEvent((event) => {
        const isAbout = "signal_id" in event.data && event.data.signal_id === id;
        if (!isAbout && event.name !== "history:cleared") return;
        void readAgain({ queryKey: keyOf(id) });
      }),
    [id],
  );
  return { signal, candles, since };
}

/** Reads again whether the signal is shared. */
export const readShareAgain = (id: string): Promise<void> =>
  readAgain({ queryKey: [...keyOf(id), "since"] });
