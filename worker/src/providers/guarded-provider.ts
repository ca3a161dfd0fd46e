import type { ProviderState } from "@shared/contract/health.ts";
import { startDeadline } from "@shared/node/deadline.ts";
import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  isBrokenCircuitError,
  retry,
  wrap,
} from "cockatiel";
import { callerGaveUp, untilAborted } from "./abortable.ts";
import type { LiveProvider } from "./live-provider.ts";
import type { CandleRequest, CandleSeries } from "./market-data.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

/** How patient we are with one provider; times in milliseconds. */
export interface GuardLimits {
  /** Longest time that one provider may take of a request, its retry included. */
  timeShareMs: number;
  /** Typical wait before the retry; the real one is drawn at random around it. */
  retryDelayMs: number;
  /** Failures in a row after which the provider is left alone, and for how long. */
  failuresToRest: number;
  restMs: number;
}

/** How a provider has been doing; times are Unix milliseconds. */
export interface ProviderHealth {
  provider: string;
  state: ProviderState;
  lastSuccessAt: number | null;
  lastFailure: { failure: ProviderFailure; at: number } | null;
  /** Calls that have failed since the start, retries included; what it cannot know does not count. */
  failures: ReadonlyMap<ProviderFailure, number>;
}

const isFault = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.failure !== "unknown-symbol";
const mayPass = (error: unknown) =>
  isFault(error) && (error.failure === "rate-limited" || error.failure === "refused");

/**
 * A provider behind a circuit breaker: bounded in time, tried once more where that can help, and
 * left alone for a while after several failures in a row, so that a dead one costs nothing.
 */
export class GuardedProvider {
  readonly provider: LiveProvider;
  private readonly now: () => number;
  private readonly timeShareMs: number;
  private readonly breaker: CircuitBreakerPolicy;
  private readonly policy: IPolicy;
  private lastSuccessAt: number | null = null;
  private lastFailure: { error: ProviderError; at: number } | null = null;
  private readonly failures = new Map<ProviderFailure, number>();

  constructor(options: { provider: LiveProvider; now: () => number; limits: GuardLimits }) {
    const { timeShareMs, retryDelayMs, failuresToRest, restMs } = options.limits;
    this.provider = options.provider;
    this.now = options.now;
    this.timeShareMs = timeShareMs;
    this.breaker = circuitBreaker(handleWhen(isFault), {
      halfOpenAfter: restMs,
      breaker: new ConsecutiveBreaker(failuresToRest),
    });
    const generator = decorrelatedJitterGenerator;
    const backoff = new ExponentialBackoff({ initialDelay: retryDelayMs, generator });
    this.policy = wrap(this.breaker, retry(handleWhen(mayPass), { maxAttempts: 1, backoff }));
  }

  /** Rejects with `ProviderError`; at once while the provider rests. */
  async candles(request: CandleRequest): Promise<CandleSeries> {
    // While one call tries a rested provider, the breaker would make the others wait for it.
    if (this.breaker.state === CircuitState.HalfOpen) throw this.restingError();
    const share = startDeadline(request.abort, this.timeShareMs);
    const abort = share.signal;
    try {
      const calls = this.policy.execute(() => this.attempt(request, abort), abort);
      const series = await untilAborted(calls, abort);
      this.lastSuccessAt = this.now();
      return series;
    } catch (error) {
      throw this.explained(error, { caller: request.abort, share: abort });
    } finally {
      share.clear();
    }
  }

  health(): ProviderHealth {
    const { lastSuccessAt, lastFailure } = this;
    return {
      provider: this.provider.name,
      state: this.state(),
      lastSuccessAt,
      lastFailure: lastFailure && { failure: lastFailure.error.failure, at: lastFailure.at },
      failures: new Map(this.failures),
    };
  }

  private state(): ProviderHealth["state"] {
    if (this.breaker.state !== CircuitState.Closed) return "resting";
    const failing = this.lastFailure && this.lastFailure.at >= (this.lastSuccessAt ?? 0);
    return failing ? "failing" : "ok";
  }

  private async attempt(request: CandleRequest, abort: AbortSignal): Promise<CandleSeries> {
    try {
      return await untilAborted(this.provider.candles({ ...request, abort }), abort);
    } catch (error) {
      // The caller's leaving says nothing about the provider, so the breaker must not count it.
      if (request.abort.aborted) throw request.abort.reason;
      throw this.counted(abort.aborted ? this.tooSlow(error) : error);
    }
  }

  private counted(error: unknown): unknown {
    if (isFault(error)) {
      this.failures.set(error.failure, (this.failures.get(error.failure) ?? 0) + 1);
    }
    return error;
  }

  private explained(error: unknown, aborts: { caller: AbortSignal; share: AbortSignal }): unknown {
    if (aborts.caller.aborted) return callerGaveUp(this.provider.name, error);
    if (isBrokenCircuitError(error)) return this.restingError();
    const late = aborts.share.aborted && !(error instanceof ProviderError);
    const explained = late ? this.tooSlow(error) : error;
    if (isFault(explained)) this.lastFailure = { error: explained, at: this.now() };
    return explained;
  }

  private tooSlow(cause: unknown): ProviderError {
    const message = `no candles within ${this.timeShareMs} ms`;
    return new ProviderError({ provider: this.provider.name, failure: "timeout", message, cause });
  }

  private restingError(): ProviderError {
    return new ProviderError({
      provider: this.provider.name,
      failure: this.lastFailure?.error.failure ?? "unreachable",
      message: "left alone for a while after repeated failures",
      cause: this.lastFailure?.error,
    });
  }
}
