import { setMaxListeners } from "node:events";
import { ProviderError } from "./provider-error.ts";

/** A signal that fires by itself after some time, and a way to let go of it before. */
interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

/**
 * Fires when `abort` does, or after `timeoutMs`. Not made of `AbortSignal.timeout`: Node.js 20 forgets such a signal when
 * only `AbortSignal.any` refers to it and the garbage is collected, and whoever waits for it waits for ever. A timer
 * keeps its controller.
 */
export function startDeadline(abort: AbortSignal, timeoutMs: number): Deadline {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("out of time")), timeoutMs);
  const unfollow = linkAbortSignals(limit, [abort]);
  return {
    signal: limit.signal,
    clear() {
      clearTimeout(timer);
      unfollow();
    },
  };
}

/** Does something that has to end in time; its signal fires when `abort` does, or after `timeoutMs`. */
export async function withDeadline<Result>(
  { abort, timeoutMs }: { abort: AbortSignal; timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = startDeadline(abort, timeoutMs);
  try {
    return await work(deadline.signal);
  } finally {
    deadline.clear();
  }
}

/**
 * Has `controller` abort when one of `aborts` does. Not made of `AbortSignal.any`, which in Node.js 20 costs memory for
 * ever: each signal that is made of one that lives long is noted there, and is kept itself if somebody listens to it to
 * the end, as the client of OpenAI does.
 * @returns to be called when it is over
 */
export function linkAbortSignals(
  controller: AbortController,
  aborts: readonly AbortSignal[],
): () => void {
  // A hundred signals in the making listen to the one of their worker's end.
  setMaxListeners(0, ...aborts);
  const stops = aborts.map((abort) => {
    const follow = () => controller.abort(abort.reason);
    if (abort.aborted) follow();
    abort.addEventListener("abort", follow, { once: true });
    return () => abort.removeEventListener("abort", follow);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Waits for `work`, but not longer than until `abort` fires; the work itself is not stopped by
 * this. Rejects with the signal's reason once it has fired.
 */
export function raceAbort<T>(work: Promise<T>, abort: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(abort.reason);
    if (abort.aborted) giveUp();
    abort.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => abort.removeEventListener("abort", giveUp));
  });
}

/** What a caller is told whose own signal ended the call. */
export function abortedByCaller(provider: string, cause: unknown): ProviderError {
  const message = "the caller stopped waiting";
  return new ProviderError({ provider, failure: "timeout", message, cause });
}
