import pRetry from "p-retry";
import { untilAborted } from "../providers/abortable.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { AdviceReply, AdviceRequest, Analyst } from "./analyst.ts";

/** Calls of one question, the first included, and the pause before the second; it doubles each time. */
const MOST_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** A reply, and how many calls it took. */
export interface AnalystAnswer {
  reply: AdviceReply;
  tries: number;
}

/**
 * Asks an analyst, again after a pause when its service was of no use this once: at most three calls.
 * @throws ProviderError of the last call; the reason of `request.abort` as soon as that fires
 */
export function askAnalyst(analyst: Analyst, request: AdviceRequest): Promise<AnalystAnswer> {
  const { abort } = request;
  return pRetry(
    async (tries) => ({ reply: await untilAborted(analyst.advise(request), abort), tries }),
    {
      retries: MOST_TRIES - 1,
      minTimeout: FIRST_PAUSE_MS,
      signal: abort,
      shouldRetry: ({ error }) => error instanceof ProviderError && isWorthAnotherTry(error),
    },
  );
}

/** A refusal may be an overloaded service (5xx) as well as a bad key: the error does not tell them apart. */
function isWorthAnotherTry({ failure }: ProviderError): boolean {
  return failure !== "unknown-symbol";
}
