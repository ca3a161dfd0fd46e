import { setTimeout } from "node:timers/promises";

/** Repeats work until it is stopped; `stop` waits for the end of a round. */
export function repeat(options: {
  work: (stopping: AbortSignal) => Promise<void>;
  intervalMs: number;
  retryMs: number;
  onError: (error: unknown) => void;
}): { stop: () => Promise<void> } {
  const { work, intervalMs, retryMs, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const isDone = await work(signal).then(() => true, onError);
      await setTimeout(isDone ? intervalMs : retryMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
