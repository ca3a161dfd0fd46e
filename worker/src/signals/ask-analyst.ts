import pRetry from "p-retry";
import { untilAborted } from "../providers/abortable.ts";
import { ProviderError } from "../providers/provider-error.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type CallUsage,
  type TokenUsage,
  totalUsage,
} from "./analyst.ts";

/** Calls of one question, the first included, and the pause before the second; it doubles each time. */
const MOST_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** A service may ask to be left alone for hours; a trader waits for a minute. */
const LONGEST_PAUSE_MS = 8_000;

/** A reply, how many calls it took, and the tokens of all of them; null where nobody counts any. */
export interface AnalystAnswer {
  reply: AdviceReply;
  tries: number;
  usage: TokenUsage | null;
}

/**
 * Asks an analyst, again after a pause when its service failed: at most three calls. A service that asks for a longer
 * pause gets it, up to 8 s. An answer that cannot be read has been paid for, and is not asked for again here.
 * @throws ProviderError of the last call; the reason of `request.abort` as soon as that fires
 */
export function askAnalyst(analyst: Analyst, request: AdviceRequest): Promise<AnalystAnswer> {
  const { abort } = request;
  const spent: TokenUsage[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    request.onUsage?.(usage);
  };
  return pRetry(
    async (tries) => {
      const reply = await untilAborted(analyst.advise({ ...request, onUsage }), abort);
      return { reply, tries, usage: totalUsage(spent) };
    },
    {
      retries: MOST_TRIES - 1,
      minTimeout: FIRST_PAUSE_MS,
      signal: abort,
      shouldRetry: async ({ error, retriesConsumed }) => {
        if (!(error instanceof ProviderError && error.retryable)) return false;
        if (error.failure === "nonsense") return false;
        const ownPauseMs = FIRST_PAUSE_MS * 2 ** retriesConsumed;
        await pause(Math.min(error.retryAfterMs ?? 0, LONGEST_PAUSE_MS) - ownPauseMs, abort);
        return true;
      },
    },
  );
}

/** Waits for `durationMs`, or until `abort` fires; not at all for 0 or less. */
async function pause(durationMs: number, abort: AbortSignal): Promise<void> {
  if (durationMs <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, durationMs);
  });
  try {
    await untilAborted(elapsed, abort);
  } finally {
    clearTimeout(timer);
  }
}
