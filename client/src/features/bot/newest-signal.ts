import { historyPageSchema, signalResponseSchema } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../../lib/api/client.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { signalKeys, storeSignal } from "../signals/apply-event.ts";
import { track, useBot } from "./bot-store.ts";

const lacksSignal = () => {
  const { tracked, pending, failure } = useBot.getState();
  return tracked.length === 0 && !pending && !failure;
};

/** Gives a tab without a signal, such as a new one, the account's newest. @returns whether it is being read */
export function useNewestSignal(): boolean {
  const isNeeded = useBot(lacksSignal);
  const ready = useRealtime((live) => live.ready);
  const { data, isPending } = useQuery({
    queryKey: signalKeys.newest,
    queryFn: ({ signal }) => readNewest(signal),
    enabled: isNeeded && ready,
  });
  useEffect(() => {
    if (!data || !lacksSignal()) return;
    const { signal_id: id, symbol, timeframe, created_at } = data;
    storeSignal(data);
    track({ id, symbol, timeframe, requestedAt: Date.parse(created_at), withImage: false });
  }, [data]);
  return isNeeded && isPending;
}

async function readNewest(signal: AbortSignal) {
  const query = { limit: 1 };
  const page = await api({ path: "/signal-history", query, schema: historyPageSchema, signal });
  const [newest] = page.signals;
  if (!newest) return null;
  const params = { id: newest.id };
  return api({ path: "/signals/:id", params, schema: signalResponseSchema, signal });
}
