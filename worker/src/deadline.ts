import { setMaxListeners } from "node:events";

/**
 * Gives `work` a signal that fires with `abort`, or after `timeoutMs`. Not `AbortSignal.timeout`: Node.js 20 may
 * garbage-collect one that only `AbortSignal.any` refers to, and it never fires.
 */
export async function withDeadline<Result>(
  abort: AbortSignal,
  timeoutMs: number,
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
