import pRetry from "p-retry";
import { z } from "zod";
import { raceAbort } from "../deadline.ts";
import { ProviderError } from "../market-data/market-data.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type CallUsage,
  type ChartRequest,
  NO_ADVICE,
  type TokenUsage,
  totalUsage,
  UnreadableReplyError,
} from "./analyst.ts";
import type { AnalystAnswer, AnalystCall, Answered, ChartAnswer } from "./analyst-call.ts";
import { combineSamples } from "./combine-samples.ts";
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

/** Oldest first. */
export interface AnalystCalls {
  calls: AnalystCall[];
  /** What decides: the last call, or what the samples were combined to. */
  last: AnalystCall;
  usage: TokenUsage | null;
  /** Of an analyst that is asked several times: why samples failed. */
  samples?: { asked: number; failures: string[] };
}

const UNREADABLE = "It must be one JSON object that follows the schema.";

/**
 * Asks the analyst, as often as it wants to be, and checks its advice. If no answer is accepted, unreadable, cut off or
 * rejected advice is requested once more, with the reply and the reasons.
 * @throws ProviderError without advice; the reason of `abort` once that fires
 */
export async function requestAdvice(
  analyst: Analyst,
  request: Omit<AdviceRequest, "corrections" | "rejectedReply">,
  atr: number,
  timer: StageTimer,
): Promise<AnalystCalls> {
  const { price, scale } = request.brief;
  const spent: TokenUsage[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    request.onUsage?.(usage);
  };
  const check = async (corrections: string[], answer: AnalystAnswer): Promise<AnalystCall> => {
    const checked = await timer.run("checking", () =>
      checkReply(answer.reply, { price, atr, scale }),
    );
    return { corrections, checked, ...answer };
  };
  const question = { ...request, corrections: [], onUsage };
  const { answers, samples } = await timer.run("analysing", () => askSamples(analyst, question));
  const [firstAnswer, ...others] = answers;
  const first = await check([], firstAnswer);
  const calls = [first, ...(await Promise.all(others.map((answer) => check([], answer))))];
  const counted = { ...(samples && { samples }) };
  const decided = samples ? combineSamples(calls) : first.checked.accepted && first;
  if (decided) return { calls, last: decided, usage: totalUsage(spent), ...counted };
  const corrections = first.checked.accepted ? [] : first.checked.reasons;
  const rejectedReply = first.reply.rawReply || undefined;
  const corrected = { ...question, corrections, rejectedReply };
  const answer = await timer.run("analysing", () => askAnalyst(analyst, corrected));
  const last = await check(corrections, answer);
  if (last.reply.unreadable !== undefined) throw unreadable(last.reply);
  return { calls: [...calls, last], last, usage: totalUsage(spent), ...counted };
}

type Answers = Pick<AnalystCalls, "samples"> & { answers: [AnalystAnswer, ...AnalystAnswer[]] };

/** Asks for all samples at once. Where some fail, the others decide; where all do, it is asked as for one. */
async function askSamples(analyst: Analyst, request: AdviceRequest): Promise<Answers> {
  const { samples: sampleCount = 1 } = analyst;
  if (sampleCount === 1) return { answers: [await askAnalyst(analyst, request)] };
  const found = await Promise.allSettled(
    Array.from({ length: sampleCount }, () => askAnalyst(analyst, request, 1)),
  );
  request.abort.throwIfAborted();
  const [first, ...others] = found.flatMap((one) =>
    one.status === "fulfilled" ? [one.value] : [],
  );
  const errors = found.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const samples = { asked: sampleCount, failures: errors.map(describeFailure) };
  if (first) return { answers: [first, ...others], samples };
  const lasting = errors.find((error) => !isRetryable(error));
  if (lasting !== undefined) throw lasting;
  return { answers: [await askAnalyst(analyst, request)], samples };
}

const describeFailure = (error: unknown): string =>
  error instanceof ProviderError ? error.message : "It could not be asked.";

const isRetryable = (error: unknown): boolean =>
  error instanceof ProviderError && error.retryable && error.failure !== "nonsense";

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

/** Unreadable replies cost money and are not retried, but returned. */
export const askAnalyst = (
  analyst: Analyst,
  request: AdviceRequest,
  maxTries = MAX_TRIES,
): Promise<AnalystAnswer> =>
  askService((counted) => analyst.advise(counted).catch(replyIfUnreadable), request, maxTries);

/**
 * Has a chart image read. A reply that cannot be understood is not asked for again: the image is given back.
 * @returns null of an analyst that reads none
 */
export const readChart = async (
  analyst: Analyst,
  request: ChartRequest,
): Promise<ChartAnswer | null> =>
  analyst.readChart ? askService(analyst.readChart, request, MAX_TRIES) : null;

/** Retries a failed service up to three calls, and keeps the pause that it requests, up to 8 s. */
function askService<Request extends Pick<AdviceRequest, "abort" | "onUsage">, Reply>(
  ask: (request: Request) => Promise<Reply>,
  request: Request,
  maxTries: number,
): Promise<Answered<Reply>> {
  const { abort } = request;
  const spent: TokenUsage[] = [];
  const onUsage = (usage: CallUsage) => {
    spent.push(usage);
    request.onUsage?.(usage);
  };
  return pRetry(
    async (tries) => {
      const reply = await raceAbort(ask({ ...request, onUsage }), abort);
      return { reply, tries, usage: totalUsage(spent) };
    },
    {
      retries: maxTries - 1,
      minTimeout: FIRST_PAUSE_MS,
      signal: abort,
      shouldRetry: async ({ error, retriesConsumed }) => {
        if (!(error instanceof ProviderError) || !isRetryable(error)) return false;
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
