import type { ProviderState } from "@shared/contract/admin.ts";
import type { ProviderHealthRecord } from "@shared/database/models/worker-reports.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { LRUCache } from "lru-cache";
import pRetry from "p-retry";
import { raceAbort } from "../deadline.ts";
import {
  type CandleRequest,
  type CandleSeries,
  isStale,
  isThrough,
  LateCandleError,
  type LiveProvider,
  type MarketData,
  ProviderError,
  type ProviderFailure,
} from "./market-data.ts";
import { abortedByCaller, withProviderDeadline } from "./provider-deadline.ts";

/** Five providers that hang leave a request of 60 s enough time for the rest of its work. */
const DEFAULT_GUARD_LIMITS: GuardLimits = {
  timeShareMs: 6_000,
  retryDelayMs: 150,
  failuresToRest: 3,
  restMs: 30_000,
};

/**
 * Asks the providers in order until one has all the candles. If none has, the longest current series counts, else the
 * longest stopped one.
 */
export function createFallbackMarketData(options: {
  providers: readonly LiveProvider[];
  now: () => number;
  logger: Logger;
  limits?: GuardLimits;
}): MarketData & { health(): ProviderHealth[] } {
  const { now, logger, limits = DEFAULT_GUARD_LIMITS } = options;
  const guarded = options.providers.map(
    (provider) => new ProviderCircuitBreaker({ provider, now, limits }),
  );
  return {
    candles: (request) => firstComplete(guarded, request, { logger, now }),
    health: () => guarded.map((provider) => provider.health()),
  };
}

async function firstComplete(
  guarded: readonly ProviderCircuitBreaker[],
  request: CandleRequest,
  { logger, now }: { logger: Logger; now: () => number },
): Promise<CandleSeries> {
  const { symbol, timeframe, limit, abort, until: at = now() } = request;
  const failures: ProviderError[] = [];
  const current: CandleSeries[] = [];
  const stopped: CandleSeries[] = [];
  const isComplete = () => current.some(({ candles }) => candles.length >= limit);
  for (const provider of inOrder(guarded, request)) {
    if (abort.aborted || isComplete()) break;
    const answer = await seriesOrError(provider, request);
    if (answer instanceof ProviderError) failures.push(answer);
    else if (isStale(answer, { timeframe, now: at })) stopped.push(answer);
    else current.push(answer);
  }
  if (!abort.aborted) logFailures(logger, failures, symbol);
  const best = longest(current) ?? longest(stopped);
  if (!best) throw summary(failures, request);
  return best;
}

async function seriesOrError(
  guarded: ProviderCircuitBreaker,
  request: CandleRequest,
): Promise<CandleSeries | ProviderError> {
  const answer = await guarded.candles(request).catch(asProviderError);
  if (answer instanceof ProviderError || isThrough(answer, request)) return answer;
  return new LateCandleError(guarded.provider.name, request.through ?? 0);
}

function logFailures(logger: Logger, failures: readonly ProviderError[], symbol: string): void {
  // Late candles are asked for again each second.
  const logged = failures.filter((failure) => !(failure instanceof LateCandleError));
  for (const { provider, failure, message: reason } of logged) {
    logger.warn({ provider, failure, reason, symbol }, "no candles");
  }
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  throw error;
}

function inOrder(
  guarded: readonly ProviderCircuitBreaker[],
  { symbol, prefer, only }: CandleRequest,
) {
  const rank = ({ provider }: ProviderCircuitBreaker) => (provider.name === prefer ? 0 : 1);
  return guarded
    .filter(({ provider }) => provider.covers(symbol) && (only ?? provider.name) === provider.name)
    .toSorted((a, b) => rank(a) - rank(b));
}

function longest(all: readonly CandleSeries[]): CandleSeries | undefined {
  const length = Math.max(...all.map(({ candles }) => candles.length));
  return all.find(({ candles }) => candles.length === length);
}

/** The most informative failure: a response of a provider, before unreachable ones, before unknown symbols. */
function summary(failures: readonly ProviderError[], request: CandleRequest): ProviderError {
  const known = failures.filter(({ failure }) => failure !== "unknown-symbol");
  const said = known.find(({ failure }) => failure !== "unreachable") ?? known[0];
  return new ProviderError({
    provider: failures.map(({ provider }) => provider).join(", ") || "market data",
    failure: said?.failure ?? "unknown-symbol",
    message: said
      ? `no candles of ${request.symbol} at ${request.timeframe} are available`
      : `no live provider lists ${request.symbol}`,
    cause: new AggregateError(failures),
  });
}

export interface GuardLimits {
  /** Time limit for one provider, including its retry, without the wait in our own queues. */
  timeShareMs: number;
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
  isFault(error) && error.failure === "refused" && !error.demandsPause;

const MAX_MARKETS = 1_000;
/** Long enough for one signal per market, short enough to forget yesterday's. */
const RECENT_MS = 10 * 60_000;
/** A few delisted coins must not open the circuit of the provider. */
const MIN_FAILING_MARKETS = 5;
/**
 * High because failing markets are paused anyway: opening the provider's circuit costs the others all of their calls.
 */
const FAILING_MARKETS_SHARE = 0.75;

/**
 * Calls a provider with a time limit, one retry and circuit breakers: one for each market, and one for the provider,
 * which opens for failures of scope `provider`, when most markets fail, and for as long as the provider demands.
 */
export class ProviderCircuitBreaker {
  readonly provider: LiveProvider;
  readonly #options: BreakerOptions;
  readonly #circuit: Circuit;
  readonly #markets = new LRUCache<string, Circuit>({ max: MAX_MARKETS });
  #lastSuccessAt: Date | null = null;
  #lastFailure: ProviderHealthRecord["lastFailure"] = null;
  readonly #failures = new Map<ProviderFailure, number>();

  constructor({ provider, ...options }: BreakerOptions & { provider: LiveProvider }) {
    this.provider = provider;
    this.#options = options;
    this.#circuit = new Circuit(options);
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const trials = this.#admit(request.symbol);
    const { abort, symbol } = request;
    try {
      const timeoutMs = this.#options.limits.timeShareMs;
      const series = await withProviderDeadline(abort, timeoutMs, (inTime) =>
        this.#attemptTwice(request, inTime),
      );
      this.#succeeded(symbol);
      return series;
    } catch (error) {
      // An abort by the caller is not a failure of the provider.
      if (abort.aborted) throw abortedByCaller(this.provider.name, error);
      throw this.#failed(symbol, error);
    } finally {
      for (const circuit of trials) circuit.isTrialRunning = false;
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

  /** @returns half-open circuits for which this call is the trial */
  #admit(symbol: string): Circuit[] {
    const market = this.#marketOf(symbol);
    if (market.isRefusing) throw this.#refusal(`${symbol} is paused`, market);
    if (this.#circuit.isRefusing) throw this.#refusal("paused", this.#circuit);
    // A market that fails alone says nothing about the provider and must not use up its trial.
    const called = market.isFailing ? [market] : [market, this.#circuit];
    const trials = called.filter(({ isClosed }) => !isClosed);
    for (const circuit of trials) circuit.isTrialRunning = true;
    return trials;
  }

  async #attemptTwice(request: CandleRequest, abort: AbortSignal): Promise<CandleSeries> {
    const calls = pRetry(() => this.#attempt(request, abort), {
      retries: 1,
      minTimeout: this.#options.limits.retryDelayMs,
      randomize: true,
      signal: abort,
      shouldRetry: ({ error }) => isRetryable(error),
    });
    try {
      return await raceAbort(calls, abort);
    } catch (error) {
      throw abort.aborted && !(error instanceof ProviderError) ? this.#timeoutError(error) : error;
    }
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
    this.#lastSuccessAt = new Date(this.#options.now());
    const market = this.#marketOf(symbol);
    market.succeed();
    this.#markets.set(symbol, market);
    this.#circuit.succeed();
  }

  #failed(symbol: string, error: unknown): unknown {
    if (!isFault(error)) return error;
    this.#lastFailure = { failure: error.failure, at: new Date(this.#options.now()) };
    if (error.retryAfterMs !== undefined) this.#circuit.open(error, error.retryAfterMs);
    else if (error.scope === "provider") this.#circuit.fail(error);
    else this.#marketFailed(symbol, error);
    return error;
  }

  #marketFailed(symbol: string, error: ProviderError): void {
    const market = this.#marketOf(symbol);
    const wasClosed = market.isClosed;
    market.fail(error);
    this.#markets.set(symbol, market);
    if (wasClosed && !market.isClosed && this.#doMostMarketsFail()) this.#circuit.open(error);
  }

  #marketOf(symbol: string): Circuit {
    return this.#markets.get(symbol) ?? new Circuit(this.#options);
  }

  #doMostMarketsFail(): boolean {
    const since = this.#options.now() - RECENT_MS;
    const recent = [...this.#markets.values()].filter(({ reportedAt }) => reportedAt >= since);
    const failing = recent.filter(({ isClosed }) => !isClosed).length;
    return failing >= MIN_FAILING_MARKETS && failing > recent.length * FAILING_MARKETS_SHARE;
  }

  #timeoutError(cause: unknown): ProviderError {
    const message = `no candles within ${this.#options.limits.timeShareMs} ms`;
    return new ProviderError({ provider: this.provider.name, failure: "timeout", message, cause });
  }

  #refusal(what: string, { lastFailure }: Circuit): ProviderError {
    return new ProviderError({
      provider: this.provider.name,
      failure: lastFailure?.failure ?? "unreachable",
      message: `${what} after ${lastFailure?.demandsPause ? "it demanded that" : "repeated failures"}`,
      cause: lastFailure,
    });
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
  isTrialRunning = false;
  isClosed = true;
  reportedAt = 0;
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
    return !this.isClosed && (this.isTrialRunning || isPaused);
  }

  succeed(): void {
    this.reportedAt = this.#options.now();
    this.#failuresInRow = 0;
    this.isClosed = true;
  }

  fail(error: ProviderError): void {
    this.reportedAt = this.#options.now();
    this.#failuresInRow += 1;
    this.lastFailure = error;
    const { failuresToRest } = this.#options.limits;
    if (!this.isClosed || this.#failuresInRow >= failuresToRest) this.open(error);
  }

  open(error: ProviderError, restMs = this.#options.limits.restMs): void {
    this.lastFailure = error;
    this.isClosed = false;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.now() + restMs);
  }
}
