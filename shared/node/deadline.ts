import { followAborts } from "./follow-aborts.ts";

/** A signal that fires by itself after some time, and a way to let go of it before. */
export interface Deadline {
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
  const unfollow = followAborts(limit, [abort]);
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
