import {
  type HistoryItem,
  type HistoryPage,
  historyItemOf,
  historyItemSchema,
  type SignalResponse,
} from "@shared/contract/signal.ts";
import type { InfiniteData } from "@tanstack/react-query";
import { del, get, set } from "idb-keyval";
import { z } from "zod";
import { queryClient } from "../../lib/query-client.ts";
import { isFinished, signalKeys } from "../signals/apply-event.ts";
import { noFilter } from "./api.ts";

const KEY = "last-signals";
const MAX_SIGNALS = 20;
const keptSchema = z.object({ at: z.iso.datetime(), signals: z.array(historyItemSchema) });
export type KeptSignals = z.infer<typeof keptSchema>;

/** The newest signals that this browser has shown, for the offline page. */
export async function readKeptSignals(): Promise<KeptSignals | null> {
  return keptSchema.safeParse(await get<unknown>(KEY)).data ?? null;
}

export async function forgetKeptSignals(): Promise<void> {
  await del(KEY);
}

/** Keeps the newest signals of the query cache until the returned function is called. */
export function keepSignals(onError: (error: unknown) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    void writeNewest().catch(onError);
  };
  const unsubscribe = queryClient.getQueryCache().subscribe(({ type, query }) => {
    const [root, kind] = query.queryKey;
    if (type !== "updated" || root !== "signals") return;
    // Several queries change with one event.
    if (kind === "detail" || kind === "history") timer ??= setTimeout(write, 0);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

async function writeNewest(): Promise<void> {
  const history = queryClient.getQueryData<InfiniteData<HistoryPage>>(signalKeys.history(noFilter));
  // A history that was read replaces what is kept, so that deleted signals are forgotten.
  const before = history ? [] : ((await readKeptSignals())?.signals ?? []);
  const details = queryClient.getQueriesData<SignalResponse>({ queryKey: signalKeys.details });
  const shown = [
    ...(history?.pages.flatMap(({ signals }) => signals) ?? []),
    ...details.flatMap(([, signal]) => (signal ? [historyItemOf(signal)] : [])),
  ];
  const newest = new Map<string, HistoryItem>();
  for (const item of [...shown, ...before]) {
    if (isFinished(item.status) && !newest.has(item.id)) newest.set(item.id, item);
  }
  const signals = [...newest.values()]
    .sort((a, b) => b.timestamp.localeCompare(a.timestamp))
    .slice(0, MAX_SIGNALS);
  await set(KEY, { at: new Date().toISOString(), signals } satisfies KeptSignals);
}
