import pRetry from "p-retry";
import { z } from "zod";
import { raceAbort } from "../deadline.ts";
import { ProviderError } from "../market-data/market-data.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type CallUsage,
  NO_ADVICE,
  type TokenUsage,
  totalUsage,
  UnreadableReplyError,
} from "./analyst.ts";
import { type AdviceBounds, type ValidatedAdvice, validateAdvice } from "./validate-advice.ts";

/** Steps of an analysis, in order; a second request goes through two of them again. */
export const stageSchema = z.enum(["fetching", "analysing", "checking", "sizing"]);
type Stage = z.infer<typeof stageSchema>;

export class StageTimer {
  readonly durationsMs: Record<Stage, number> = {
    fetching: 0,
    analysing: 0,
    checking: 0,
    sizing: 0,
  };
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async run<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result> {
    const startedAt = this.#now();
    try {
      return await work();
    } finally {
      this.durationsMs[stage] += this.#now() - startedAt;
    }
  }
}

interface AnalystAnswer {
  reply: AdviceReply;
  /** Calls, including failed ones. */
  tries: number;
  usage: TokenUsage | null;
}

/** One request to the analyst, its reply, and the result of the check. */
export interface AnalystCall extends AnalystAnswer {
  corrections: string[];
  checked: ValidatedAdvice;
}

/** Oldest first; the last one decides. */
export interface AnalystCalls {
  calls: AnalystCall[];
  last: AnalystCall;
  usage: TokenUsage | null;
}

const UNREADABLE = "It must be one JSON object that follows the schema.";

/**
 * Asks the analyst and checks its advice. Unreadable, cut off or rejected advice is requested once more, with the reply and
 * the reasons.
 * @throws ProviderError without advice; the reason of `abort` once that fires
 */
export async function requestAdvice(
  analyst: Analyst,
  request: Omit<AdviceRequest, "corrections" | "rejectedReply">,
  { atr, timer }: { atr: number; timer: StageTimer },
): Promise<AnalystCalls> {
  const { price, scale } = request.brief;
  const spent: TokenUsage[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    request.onUsage?.(usage);
  };
  const ask = async (corrections: string[], rejectedReply?: string): Promise<AnalystCall> => {
    const answer = await timer.run("analysing", () =>
      askAnalyst(analyst, { ...request, corrections, rejectedReply, onUsage }),
    );
    const checked = await timer.run("checking", () =>
      checkReply(answer.reply, { price, atr, scale }),
    );
    return { corrections, checked, ...answer };
  };
  const first = await ask([]);
  if (first.checked.accepted) return { calls: [first], last: first, usage: totalUsage(spent) };
  const last = await ask(first.checked.reasons, first.reply.rawReply || undefined);
  if (last.reply.unreadable !== undefined) throw unreadable(last.reply);
  return { calls: [first, last], last, usage: totalUsage(spent) };
}

function unreadable({ unreadable: reason = "", ...reply }: AdviceReply): UnreadableReplyError {
  return new UnreadableReplyError({ reason, ...reply });
}

function checkReply(reply: AdviceReply, bounds: AdviceBounds): ValidatedAdvice {
  const reason = reply.cutOff ?? reply.unreadable;
  return reason === undefined
    ? validateAdvice(reply.advice, bounds)
    : { accepted: false, reasons: [reason] };
}

const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** A service may request a pause of hours; a user waits for a minute. */
const MAX_PAUSE_MS = 8_000;

/**
 * Retries a failed service up to three calls, and keeps the pause that it requests, up to 8 s. Unreadable replies cost
 * money and are not retried, but returned.
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
      const advising = analyst.advise({ ...request, onUsage }).catch(replyIfUnreadable);
      const reply = await raceAbort(advising, abort);
      return { reply, tries, usage: totalUsage(spent) };
    },
    {
      retries: MAX_TRIES - 1,
      minTimeout: FIRST_PAUSE_MS,
      signal: abort,
      shouldRetry: async ({ error, retriesConsumed }) => {
        if (!(error instanceof ProviderError && error.retryable)) return false;
        if (error.failure === "nonsense") return false;
        const ownPauseMs = FIRST_PAUSE_MS * 2 ** retriesConsumed;
        await pause(Math.min(error.retryAfterMs ?? 0, MAX_PAUSE_MS) - ownPauseMs, abort);
        return true;
      },
    },
  );
}

function replyIfUnreadable(error: unknown): AdviceReply {
  if (!(error instanceof UnreadableReplyError)) throw error;
  return { ...error.reply, advice: NO_ADVICE, unreadable: `${error.reason} ${UNREADABLE}` };
}

async function pause(durationMs: number, abort: AbortSignal): Promise<void> {
  if (durationMs <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, durationMs);
  });
  try {
    await raceAbort(elapsed, abort);
  } finally {
    clearTimeout(timer);
  }
}
