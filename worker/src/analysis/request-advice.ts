import pRetry from "p-retry";
import { z } from "zod";
import { raceAbort } from "../market-data/deadline.ts";
import { ProviderError } from "../market-data/market-data.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type CallUsage,
  type TokenUsage,
  totalUsage,
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

const UNREADABLE =
  "The answer could not be read; it must be one JSON object that follows the schema.";

/**
 * Asks the analyst and checks its advice. Unreadable, cut off or rejected advice is requested once more, with the
 * reasons.
 * @throws ProviderError without advice; the reason of `abort` once that fires
 */
export async function requestAdvice(
  analyst: Analyst,
  request: Omit<AdviceRequest, "corrections">,
  { atr, timer }: { atr: number; timer: StageTimer },
): Promise<AnalystCalls> {
  const { price, scale } = request.brief;
  const spent: TokenUsage[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    request.onUsage?.(usage);
  };
  const ask = async (corrections: string[]): Promise<AnalystCall> => {
    const answer = await timer.run("analysing", () =>
      askAnalyst(analyst, { ...request, corrections, onUsage }),
    );
    const checked = await timer.run("checking", () =>
      checkReply(answer.reply, { price, atr, scale }),
    );
    return { corrections, checked, ...answer };
  };
  const first = await ask([]).catch(nullIfUnreadable);
  if (first?.checked.accepted) return { calls: [first], last: first, usage: totalUsage(spent) };
  const last = await ask(first?.checked.accepted === false ? first.checked.reasons : [UNREADABLE]);
  return { calls: first ? [first, last] : [last], last, usage: totalUsage(spent) };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof ProviderError && error.failure === "nonsense") return null;
  throw error;
}

const checkReply = ({ advice, cutOff }: AdviceReply, bounds: AdviceBounds): ValidatedAdvice =>
  cutOff === undefined ? validateAdvice(advice, bounds) : { accepted: false, reasons: [cutOff] };

const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** A service may request a pause of hours; a user waits for a minute. */
const MAX_PAUSE_MS = 8_000;

/**
 * Retries a failed service up to three calls, and keeps the pause that it requests, up to 8 s. Unreadable answers cost
 * money and are not retried.
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
      const reply = await raceAbort(analyst.advise({ ...request, onUsage }), abort);
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
