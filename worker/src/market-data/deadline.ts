import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { ProviderError } from "./market-data.ts";

/**
 * Gives `work` a signal that fires with `abort`, or after `timeoutMs`. Not `AbortSignal.timeout`: Node.js 20 may
 * garbage-collect one that only `AbortSignal.any` refers to, and it never fires.
 */
export async function withDeadline<Result>(
  { abort, timeoutMs }: { abort: AbortSignal; timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("out of time")), timeoutMs);
  const unlink = linkAbort(limit, abort);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** How often pieces of work that the provider does not cause are running. */
const ownWork = new AsyncLocalStorage<{ running: number }>();

/** As `withDeadline`, for the time that a provider takes: without that of `onOwnTime`. */
export async function withProviderDeadline<Result>(
  { abort, timeoutMs }: { abort: AbortSignal; timeoutMs: number },
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

/**
 * Not `AbortSignal.any`, which leaks memory in Node.js 20 if one of the signals lives long.
 * @returns a function that unlinks them
 */
export function linkAbort(controller: AbortController, abort: AbortSignal): () => void {
  // Up to a hundred analyses listen to the shutdown signal of their worker.
  setMaxListeners(0, abort);
  const follow = () => controller.abort(abort.reason);
  if (abort.aborted) follow();
  abort.addEventListener("abort", follow, { once: true });
  return () => abort.removeEventListener("abort", follow);
}

/** Rejects when `abort` fires; does not stop `work` itself. */
export function raceAbort<T>(work: Promise<T>, abort: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(abort.reason);
    if (abort.aborted) giveUp();
    abort.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => abort.removeEventListener("abort", giveUp));
  });
}

export function abortedByCaller(provider: string, cause: unknown): ProviderError {
  const message = "the caller stopped waiting";
  return new ProviderError({ provider, failure: "timeout", message, cause });
}
