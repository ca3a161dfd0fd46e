import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import pRetry from "p-retry";
import { raceAbort } from "../market-data/deadline.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type CallUsage,
  type TokenUsage,
  totalUsage,
} from "./analyst.ts";
import type { MarketBrief } from "./market-brief.ts";
import type { StageTimer } from "./stage-timer.ts";
import { type AdviceBounds, type ValidatedAdvice, validateAdvice } from "./validate-advice.ts";

/** One question to the analyst, its reply, and what the check said of it. */
export interface AnalystCall {
  /** Reasons for which the reply before was not accepted; empty for the first question. */
  corrections: string[];
  reply: AdviceReply;
  tries: number;
  /** Tokens of all tries; null where the analyst counts none. */
  usage: TokenUsage | null;
  checked: ValidatedAdvice;
}

/** All that was said, oldest first; the last exchange decides. */
export interface AnalystCalls {
  exchanges: AnalystCall[];
  last: AnalystCall;
  /** Tokens of all calls, also of those whose answer could not be read; null where the analyst counts none. */
  usage: TokenUsage | null;
}

/** What an analyst is told whose first reply was no advice at all. */
const UNREADABLE =
  "The answer could not be read; it must be one JSON object that follows the schema.";

/**
 * Asks the analyst and checks its advice. Advice that is not accepted, was cut off or could not be read is asked for
 * once more, with the reasons.
 * @throws ProviderError when the analyst gives no advice; the reason of `abort` once that fires
 */
export async function requestAdvice(options: {
  analyst: Analyst;
  brief: MarketBrief;
  costs: TradingCosts;
  atr: number;
  chartImage: string | undefined;
  timer: StageTimer;
  onUsage: ((usage: CallUsage) => void) | undefined;
  abort: AbortSignal;
}): Promise<AnalystCalls> {
  const { analyst, brief, costs, atr, chartImage, timer, onUsage, abort } = options;
  const { price, scale } = brief;
  const spent: TokenUsage[] = [];
  const countUsage = (usage: CallUsage) => {
    spent.push(usage);
    onUsage?.(usage);
  };
  const exchange = async (corrections: string[]): Promise<AnalystCall> => {
    const extras = { ...(chartImage !== undefined && { chartImage }), onUsage: countUsage };
    const answer = await timer.run("analysing", () =>
      askAnalyst(analyst, { brief, costs, corrections, abort, ...extras }),
    );
    const checked = await timer.run("checking", () =>
      checkReply(answer.reply, { price, atr, scale }),
    );
    return { corrections, checked, ...answer };
  };
  const first = await exchange([]).catch(nullIfUnreadable);
  if (first?.checked.accepted) {
    return { exchanges: [first], last: first, usage: totalUsage(spent) };
  }
  const reasons = first?.checked.accepted === false ? first.checked.reasons : [UNREADABLE];
  const last = await exchange(reasons);
  return { exchanges: first ? [first, last] : [last], last, usage: totalUsage(spent) };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof ProviderError && error.failure === "nonsense") return null;
  throw error;
}

const checkReply = ({ advice, cutOff }: AdviceReply, bounds: AdviceBounds): ValidatedAdvice =>
  cutOff === undefined ? validateAdvice(advice, bounds) : { accepted: false, reasons: [cutOff] };

/** Calls of one question, the first included, and the pause before the second; it doubles each time. */
const MOST_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** A service may ask to be left alone for hours; a trader waits for a minute. */
const LONGEST_PAUSE_MS = 8_000;

/** A reply, how many calls it took, and the tokens of all of them; null where nobody counts any. */
interface AnalystAnswer {
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
      const reply = await raceAbort(analyst.advise({ ...request, onUsage }), abort);
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
    await raceAbort(elapsed, abort);
  } finally {
    clearTimeout(timer);
  }
}
