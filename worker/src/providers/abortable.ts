import { ProviderError } from "./provider-error.ts";

/**
 * Waits for `work`, but not longer than until `abort` fires; the work itself is not stopped by
 * this. Rejects with the signal's reason once it has fired.
 */
export function untilAborted<T>(work: Promise<T>, abort: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(abort.reason);
    if (abort.aborted) giveUp();
    abort.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => abort.removeEventListener("abort", giveUp));
  });
}

/** What a caller is told whose own signal ended the call. */
export function callerGaveUp(provider: string, cause: unknown): ProviderError {
  const message = "the caller stopped waiting";
  return new ProviderError({ provider, failure: "timeout", message, cause });
}
