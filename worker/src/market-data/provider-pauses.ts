import { setTimeout as delay } from "node:timers/promises";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import pRetry from "p-retry";
import { z } from "zod";
import { ProviderError } from "./market-data.ts";

/** Where a provider names no time. */
const DEFAULT_PAUSE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = DAY_MS;
/** Later moments are no dates. */
const MAX_DATE_MS = 8.64e15;

/** A trial that says nothing for so long belongs to a worker that crashed. */
const TRIAL_TIMEOUT_MS = 15_000;
/** How soon it is worth to see what became of the trial of another. */
const TRIAL_WAIT_MS = 1_000;

/** Without the database, each worker obeys what it knows. */
const DATABASE_TIMEOUT_MS = 1_000;

const pauseSchema = z.object({ leftMs: z.number() });

/** Must be called just before a request is sent. Rejects with `ProviderError` during a pause. */
export type Admit = () => Promise<void>;

interface ProviderPausesOptions {
  /** Shared by all workers. Without it, this process is the only one. */
  database?: Database | undefined;
  logger?: Logger | undefined;
}

/**
 * Rate limits and bans of providers, which all workers obey: until such a pause is over no request is sent, then a single
 * one, and all others after it has succeeded. Times are by the clock of the database, and monotonic in this process.
 */
export class ProviderPauses {
  readonly #options: ProviderPausesOptions;
  readonly #untilMs = new Map<string, number>();

  constructor(options: ProviderPausesOptions = {}) {
    this.#options = options;
  }

  /** Runs a call that sends one request. A failure that demands a pause has `retryAfterMs`. */
  async run<Result>(provider: string, call: (admit: Admit) => Promise<Result>): Promise<Result> {
    let isSent = false;
    let isTrial = false;
    try {
      const result = await call(async () => {
        isTrial = (await this.#admit(provider)) || isTrial;
        isSent = true;
      });
      if (isTrial) await this.#end(provider);
      return result;
    } catch (error) {
      if (isSent && demandsPause(error)) throw await this.begin(error);
      if (isTrial) await (isAnswer(error) ? this.#end(provider) : this.#release(provider));
      throw error;
    }
  }

  /** Rejects during a pause, and until the trial after it has succeeded. For connections, which are no trial. */
  async assertNone(provider: string): Promise<void> {
    const leftMs = await this.#leftMs(provider);
    if (leftMs !== undefined) throw refusal(provider, Math.max(leftMs, TRIAL_WAIT_MS));
  }

  /** Begins the pause that this error demands. Returns the error with the time that it takes. */
  async begin(error: ProviderError): Promise<ProviderError> {
    const { provider } = error;
    this.#remember(provider, ownPauseMs(error));
    this.#options.logger?.warn({ provider, reason: error.message }, "provider paused");
    const beganMs = performance.now();
    const stored = pRetry(() => this.#store(error, beganMs), {
      retries: Number.POSITIVE_INFINITY,
      maxRetryTime: MAX_PAUSE_MS,
      minTimeout: DATABASE_TIMEOUT_MS,
      maxTimeout: 10 * DATABASE_TIMEOUT_MS,
      unref: true,
      shouldRetry: () => this.#ownLeftMs(provider) > 0,
    });
    await this.#inTime(stored);
    return error.withRetryAfter(Math.max(MIN_PAUSE_MS, this.#ownLeftMs(provider)));
  }

  async #admit(provider: string): Promise<boolean> {
    const leftMs = await this.#leftMs(provider);
    if (leftMs === undefined) return false;
    if (leftMs > 0) throw refusal(provider, leftMs);
    if (await this.#claimTrial(provider)) return true;
    throw refusal(provider, TRIAL_WAIT_MS);
  }

  /** Undefined without a pause; at most 0 if it is over, and no request has succeeded since. */
  async #leftMs(provider: string): Promise<number | undefined> {
    const ownLeftMs = this.#ownLeftMs(provider);
    if (ownLeftMs > 0) return ownLeftMs;
    const leftMs = await this.#inTime(this.#read(provider));
    if (leftMs !== undefined) this.#remember(provider, leftMs);
    return leftMs;
  }

  #ownLeftMs(provider: string): number {
    return (this.#untilMs.get(provider) ?? 0) - performance.now();
  }

  #remember(provider: string, leftMs: number): void {
    const untilMs = performance.now() + leftMs;
    this.#untilMs.set(provider, Math.max(untilMs, this.#untilMs.get(provider) ?? 0));
  }

  /** Not of a majority: a pause counts as soon as one worker knows of it. */
  async #read(_id: string): Promise<number | undefined> {
    const leftMs = { $subtract: ["$until", "$$NOW"] };
    const [pause] =
      (await this.#pauses?.aggregate([{ $match: { _id } }, { $project: { _id: 0, leftMs } }], {
        readConcern: { level: "local" },
      })) ?? [];
    return pause && pauseSchema.parse(pause).leftMs;
  }

  /** The longest pause that was demanded counts. */
  async #store(error: ProviderError, beganMs: number): Promise<void> {
    const { provider: _id, retryAfterMs, retryAt = 0 } = error;
    const waitMs = (retryAfterMs ?? DEFAULT_PAUSE_MS) - (performance.now() - beganMs);
    const waited = {
      $add: ["$$NOW", Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Math.ceil(waitMs)))],
    };
    const named = new Date(Math.min(retryAt, MAX_DATE_MS));
    const demanded =
      retryAfterMs === undefined
        ? { $cond: [{ $gt: [named, "$$NOW"] }, named, waited] }
        : { $max: [waited, named] };
    const until = { $min: [{ $max: ["$until", demanded] }, { $add: ["$$NOW", MAX_PAUSE_MS] }] };
    await this.#pauses?.updateOne({ _id }, [{ $set: { until, trialUntil: "$$NOW" } }], {
      upsert: true,
      updatePipeline: true,
    });
    const leftMs = await this.#read(_id);
    if (leftMs !== undefined) this.#untilMs.set(_id, performance.now() + leftMs);
  }

  async #claimTrial(_id: string): Promise<boolean> {
    const isFree = { $and: [{ $lte: ["$until", "$$NOW"] }, { $lte: ["$trialUntil", "$$NOW"] }] };
    const trialUntil = { $add: ["$$NOW", TRIAL_TIMEOUT_MS] };
    const claimed = await this.#inTime(
      this.#pauses
        ?.updateOne({ _id, $expr: isFree }, [{ $set: { trialUntil } }], { updatePipeline: true })
        .exec(),
    );
    return claimed?.modifiedCount === 1;
  }

  async #release(_id: string): Promise<void> {
    const ended = [{ $set: { trialUntil: "$$NOW" } }];
    await this.#inTime(this.#pauses?.updateOne({ _id }, ended, { updatePipeline: true }).exec());
  }

  /** A pause that has started since goes on. */
  async #end(_id: string): Promise<void> {
    const isOver = { $lte: ["$until", "$$NOW"] };
    await this.#inTime(this.#pauses?.deleteOne({ _id, $expr: isOver }).exec());
  }

  get #pauses() {
    return this.#options.database?.providerPauses;
  }

  /** Undefined if the database does not respond in time. */
  async #inTime<Result>(work: Promise<Result> | undefined): Promise<Result | undefined> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      return await Promise.race([
        work,
        delay(DATABASE_TIMEOUT_MS, undefined, { signal, ref: false }),
      ]);
    } catch (error) {
      this.#options.logger?.warn({ err: error }, "pauses of providers not shared");
      return undefined;
    } finally {
      ended.abort();
    }
  }
}

const demandsPause = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.demandsPause;

/** Any answer that demands no new pause says that the former is over. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ProviderError && error.failure !== "unreachable" && error.failure !== "timeout";

/** By the clocks of this machine, until the database has decided. */
function ownPauseMs({ retryAfterMs, retryAt }: ProviderError): number {
  const untilMs = retryAt === undefined ? 0 : retryAt - Date.now();
  const namedMs = Math.max(retryAfterMs ?? 0, untilMs);
  const isNamed = retryAfterMs !== undefined || untilMs > 0;
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, isNamed ? namedMs : DEFAULT_PAUSE_MS));
}

function refusal(provider: string, retryAfterMs: number): ProviderError {
  return new ProviderError({
    provider,
    failure: "rate-limited",
    scope: "provider",
    message: "left alone, as it demanded",
    retryAfterMs,
  });
}
