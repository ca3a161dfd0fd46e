import { LRUCache } from "lru-cache";
import { raceAbort, withDeadline } from "../../deadline.ts";

/** What does not answer within this time is not available to the analysis. */
const TIMEOUT_MS = 3_000;

const MAX_KEPT = 2_000;

/** Keeps one answer for each candle, so that a source that is slow or fails costs its time once. */
export class OncePerCandle<Answer extends object> {
  readonly #kept = new LRUCache<string, Promise<Answer | null>>({ max: MAX_KEPT });

  /** Null if `ask` rejects, or takes too long. All callers wait for the same answer, so none of them can abort it. */
  get(candle: string, ask: (abort: AbortSignal) => Promise<Answer | null>): Promise<Answer | null> {
    const kept = this.#kept.get(candle) ?? inTime(ask);
    this.#kept.set(candle, kept);
    return kept;
  }
}

function inTime<Answer>(
  ask: (abort: AbortSignal) => Promise<Answer | null>,
): Promise<Answer | null> {
  const abort = new AbortController().signal;
  return withDeadline(abort, TIMEOUT_MS, (deadline) => raceAbort(ask(deadline), deadline)).catch(
    () => null,
  );
}
