import type { ProviderState } from "@shared/contract/admin.ts";
import type { ProviderHealthRecord } from "@shared/database/models/worker-reports.ts";
import { LRUCache } from "lru-cache";
import pRetry from "p-retry";
import { abortedByCaller, raceAbort, startDeadline } from "./deadline.ts";
import type { CandleRequest, CandleSeries, LiveProvider } from "./market-data.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

export interface GuardLimits {
  /** Time limit for one provider, including its retry. */
  timeShareMs: number;
  /** Shortest pause before the retry. */
  retryDelayMs: number;
  /** Consecutive failures that open the circuit of a market or provider, and for how long. */
  failuresToRest: number;
  restMs: number;
}

export interface ProviderHealth extends ProviderHealthRecord {
  failures: ReadonlyMap<ProviderFailure, number>;
}

interface BreakerOptions {
  now: () => number;
  limits: GuardLimits;
}

const isFault = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.failure !== "unknown-symbol";
const isRetryable = (error: unknown) =>
  isFault(error) && (error.failure === "rate-limited" || error.failure === "refused");

/**
 * Calls a provider with a time limit, one retry and circuit breakers: one for each market, and one for the provider,
 * which opens for failures of scope `provider`, or when most markets fail.
 */
export class ProviderCircuitBreaker {
  readonly provider: LiveProvider;
  readonly #now: () => number;
  readonly #limits: GuardLimits;
  readonly #circuit: Circuit;
  readonly #markets: MarketCircuits;
  #lastSuccessAt: Date | null = null;
  #lastFailure: ProviderHealthRecord["lastFailure"] = null;
  readonly #failures = new Map<ProviderFailure, number>();

  constructor({ provider, now, limits }: BreakerOptions & { provider: LiveProvider }) {
    this.provider = provider;
    this.#now = now;
    this.#limits = limits;
    this.#circuit = new Circuit({ limits, now });
    this.#markets = new MarketCircuits({ limits, now });
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const endTrials = this.#admit(request.symbol);
    const share = startDeadline(request.abort, this.#limits.timeShareMs);
    const abort = share.signal;
    try {
      const calls = pRetry(() => this.#attempt(request, abort), {
        retries: 1,
        minTimeout: this.#limits.retryDelayMs,
        randomize: true,
        signal: abort,
        shouldRetry: ({ error }) => isRetryable(error),
      });
      const series = await raceAbort(calls, abort);
      this.#succeeded(request.symbol);
      return series;
    } catch (error) {
      // An abort by the caller is not a failure of the provider.
      if (request.abort.aborted) throw abortedByCaller(this.provider.name, error);
      const isLate = abort.aborted && !(error instanceof ProviderError);
      throw this.#failed(request.symbol, isLate ? this.#timeoutError(error) : error);
    } finally {
      share.clear();
      endTrials();
    }
  }

  health(): ProviderHealth {
    return {
      provider: this.provider.name,
      state: this.#state(),
      lastSuccessAt: this.#lastSuccessAt,
      lastFailure: this.#lastFailure,
      failures: new Map(this.#failures),
    };
  }

  #state(): ProviderState {
    if (!this.#circuit.isClosed) return "resting";
    const isFailing =
      this.#lastFailure && this.#lastFailure.at >= (this.#lastSuccessAt ?? new Date(0));
    return isFailing ? "failing" : "ok";
  }

  #admit(symbol: string): () => void {
    const market = this.#markets.find(symbol);
    if (market?.isRefusing) throw this.#refusal(`${symbol} is paused`, market);
    if (this.#circuit.isRefusing) throw this.#refusal("paused", this.#circuit);
    const endMarketTrial = market?.startTrial();
    // A market that fails alone says nothing about the provider and must not use up its trial.
    const endProviderTrial = market?.isFailing ? undefined : this.#circuit.startTrial();
    return () => {
      endMarketTrial?.();
      endProviderTrial?.();
    };
  }

  async #attempt(request: CandleRequest, abort: AbortSignal): Promise<CandleSeries> {
    try {
      return await raceAbort(this.provider.candles({ ...request, abort }), abort);
    } catch (cause) {
      if (request.abort.aborted) throw request.abort.reason;
      const error = abort.aborted ? this.#timeoutError(cause) : cause;
      if (!isFault(error)) throw error;
      this.#failures.set(error.failure, (this.#failures.get(error.failure) ?? 0) + 1);
      throw error;
    }
  }

  #succeeded(symbol: string): void {
    this.#lastSuccessAt = new Date(this.#now());
    this.#markets.succeed(symbol);
    this.#circuit.succeed();
  }

  #failed(symbol: string, error: unknown): unknown {
    if (!isFault(error)) return error;
    this.#lastFailure = { failure: error.failure, at: new Date(this.#now()) };
    if (error.scope === "provider") this.#circuit.fail(error);
    else if (this.#markets.fail(symbol, error)) this.#circuit.open(error);
    return error;
  }

  #timeoutError(cause: unknown): ProviderError {
    const message = `no candles within ${this.#limits.timeShareMs} ms`;
    return new ProviderError({ provider: this.provider.name, failure: "timeout", message, cause });
  }

  #refusal(what: string, { lastFailure }: Circuit): ProviderError {
    return new ProviderError({
      provider: this.provider.name,
      failure: lastFailure?.failure ?? "unreachable",
      message: `${what} after repeated failures`,
      cause: lastFailure,
    });
  }
}

const MAX_MARKETS = 1_000;
/** Long enough for one signal per market, short enough to forget yesterday's. */
const RECENT_MS = 10 * 60_000;
/** A few delisted coins must not open the circuit of the provider. */
const MIN_FAILING_MARKETS = 5;
/**
 * High because failing markets are paused anyway: opening the provider's circuit costs the others all of their calls.
 */
const FAILING_MARKETS_SHARE = 0.75;

/** The circuits of the markets of one provider. */
class MarketCircuits {
  readonly #options: BreakerOptions;
  readonly #markets = new LRUCache<string, { circuit: Circuit; reportedAt: number }>({
    max: MAX_MARKETS,
  });

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Undefined for a market without any reported call. */
  find(symbol: string): Circuit | undefined {
    return this.#markets.get(symbol)?.circuit;
  }

  succeed(symbol: string): void {
    this.#reported(symbol).succeed();
  }

  /** @returns whether this failure makes most markets fail */
  fail(symbol: string, error: ProviderError): boolean {
    const circuit = this.#reported(symbol);
    const wasClosed = circuit.isClosed;
    circuit.fail(error);
    return wasClosed && !circuit.isClosed && this.#doMostFail();
  }

  #reported(symbol: string): Circuit {
    const circuit = this.find(symbol) ?? new Circuit(this.#options);
    this.#markets.set(symbol, { circuit, reportedAt: this.#options.now() });
    return circuit;
  }

  #doMostFail(): boolean {
    const since = this.#options.now() - RECENT_MS;
    const recent = [...this.#markets.values()].filter(({ reportedAt }) => reportedAt >= since);
    const failing = recent.filter(({ circuit }) => !circuit.isClosed).length;
    return failing >= MIN_FAILING_MARKETS && failing > recent.length * FAILING_MARKETS_SHARE;
  }
}

/**
 * Closed until too many calls in a row fail, then open for a while, then half-open with one trial call at a time.
 * Not a breaker of a library, which owns the calls that it runs: a call belongs to the circuits of its market and provider.
 */
class Circuit {
  readonly #options: BreakerOptions;
  #failuresInRow = 0;
  #pausedUntil = 0;
  #isTrialRunning = false;
  isClosed = true;
  lastFailure: ProviderError | undefined;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#failuresInRow > 0;
  }

  /** True while it is open, and while a trial call is running. */
  get isRefusing(): boolean {
    const isPaused = this.#options.now() < this.#pausedUntil;
    return !this.isClosed && (this.#isTrialRunning || isPaused);
  }

  /** Makes the next call the trial of a half-open circuit. @returns a function that ends the trial */
  startTrial(): () => void {
    if (this.isClosed) return () => undefined;
    this.#isTrialRunning = true;
    return () => {
      this.#isTrialRunning = false;
    };
  }

  succeed(): void {
    this.#failuresInRow = 0;
    this.isClosed = true;
  }

  fail(error: ProviderError): void {
    this.#failuresInRow += 1;
    this.lastFailure = error;
    const { failuresToRest } = this.#options.limits;
    if (!this.isClosed || this.#failuresInRow >= failuresToRest) this.open(error);
  }

  open(error: ProviderError): void {
    this.lastFailure = error;
    this.isClosed = false;
    this.#pausedUntil = this.#options.now() + this.#options.limits.restMs;
  }
}
