const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;

/** Delay before attempt number `attempt` (from 0): grows by half each time, up to a limit. */
export const backoffMs = (attempt: number): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 1.5 ** attempt);

/** Resolves after `delayMs`, or at once when `signal` is aborted. */
export function delay(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener("abort", done);
  });
}
