import { AsyncLocalStorage } from "node:async_hooks";
import { linkAbort } from "../deadline.ts";
import { ProviderError } from "./market-data.ts";

/** How often pieces of work that the provider does not cause are running. */
const ownWork = new AsyncLocalStorage<{ running: number }>();

/** As `withDeadline`, for the time that a provider takes: without that of `onOwnTime`. */
export async function withProviderDeadline<Result>(
  abort: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const own = { running: 0 };
  const stop = startResponseTimer(timeoutMs, {
    onTimeout: () => limit.abort(new Error("out of time")),
    isPaused: () => own.running > 0,
  });
  const unlink = linkAbort(limit, abort);
  try {
    return await ownWork.run(own, () => work(limit.signal));
  } finally {
    stop();
    unlink();
  }
}

/** Waiting that is no provider's fault, as in a queue of this process. */
export async function onOwnTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const own = ownWork.getStore();
  if (own) own.running += 1;
  try {
    return await work();
  } finally {
    if (own) own.running -= 1;
  }
}

const SLICE_MS = 100;

/**
 * Limits the time to a response. It is counted in slices, so that time in which this process was too busy to notice the
 * response does not count.
 * @returns a function that stops it
 */
export function startResponseTimer(
  timeoutMs: number,
  { onTimeout, isPaused = () => false }: { onTimeout: () => void; isPaused?: () => boolean },
): () => void {
  let leftMs = timeoutMs;
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const countSlice = () => {
    const sliceMs = Math.min(leftMs, SLICE_MS);
    timer = setTimeout(() => {
      if (!isPaused()) leftMs -= sliceMs;
      if (leftMs > 0) return countSlice();
      // What has arrived meanwhile is read first.
      setImmediate(() => isStopped || onTimeout());
    }, sliceMs);
  };
  countSlice();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

export function abortedByCaller(provider: string, cause: unknown): ProviderError {
  const message = "the caller stopped waiting";
  return new ProviderError({ provider, failure: "timeout", message, cause });
}
