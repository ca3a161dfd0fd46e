import type { ProviderState } from "@shared/contract/admin.ts";
import {
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  retry,
} from "cockatiel";
import { LRUCache } from "lru-cache";
import { abortedByCaller, raceAbort, startDeadline } from "./deadline.ts";
import type { CandleRequest, CandleSeries, LiveProvider } from "./market-data.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

export interface GuardLimits {
  /** Time limit for one provider, including its retry. */
  timeShareMs: number;
  /** Mean pause before the retry. */
  retryDelayMs: number;
  /** Consecutive failures that open the circuit of a market or provider, and for how long. */
  failuresToRest: number;
  restMs: number;
}

export interface ProviderHealth {
  provider: string;
  state: ProviderState;
  lastSuccessAt: number | null;
  lastFailure: { failure: ProviderFailure; at: number } | null;
  failures: ReadonlyMap<ProviderFailure, number>;
}

const isFault = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.failure !== "unknown-symbol";
const mayPass = (error: unknown) =>
  isFault(error) && (error.failure === "rate-limited" || error.failure === "refused");

/**
 * Calls a provider with a time limit, one retry and circuit breakers: one for each market, and one for the provider,
 * which opens for failures of scope `provider`, or when most markets fail.
 */
export class ProviderCircuitBreaker {
  readonly provider: LiveProvider;
  private readonly now: () => number;
  private readonly timeShareMs: number;
  private readonly circuit: Circuit;
  private readonly markets: MarketCircuits;
  private readonly retry: IPolicy;
  private lastSuccessAt: number | null = null;
  private lastFailure: { error: ProviderError; at: number } | null = null;
  private readonly failures = new Map<ProviderFailure, number>();

  constructor(options: { provider: LiveProvider; now: () => number; limits: GuardLimits }) {
    const { timeShareMs, retryDelayMs, failuresToRest, restMs } = options.limits;
    const { now } = options;
    this.provider = options.provider;
    this.now = now;
    this.timeShareMs = timeShareMs;
    const limits = { failuresToOpen: failuresToRest, pauseMs: restMs };
    this.circuit = new Circuit({ limits, now });
    this.markets = new MarketCircuits({ limits, now });
    const generator = decorrelatedJitterGenerator;
    const backoff = new ExponentialBackoff({ initialDelay: retryDelayMs, generator });
    this.retry = retry(handleWhen(mayPass), { maxAttempts: 1, backoff });
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const endTrials = this.admit(request.symbol);
    const share = startDeadline(request.abort, this.timeShareMs);
    const abort = share.signal;
    try {
      const calls = this.retry.execute(() => this.attempt(request, abort), abort);
      const series = await raceAbort(calls, abort);
      this.succeeded(request.symbol);
      return series;
    } catch (error) {
      // The caller's leaving says nothing about the provider.
      if (request.abort.aborted) throw abortedByCaller(this.provider.name, error);
      const late = abort.aborted && !(error instanceof ProviderError);
      throw this.failed(request.symbol, late ? this.tooSlow(error) : error);
    } finally {
      share.clear();
      endTrials();
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
    if (!this.circuit.isClosed) return "resting";
    const failing = this.lastFailure && this.lastFailure.at >= (this.lastSuccessAt ?? 0);
    return failing ? "failing" : "ok";
  }

  private admit(symbol: string): () => void {
    const market = this.markets.find(symbol);
    if (market?.isRefusing) throw this.refusal(`${symbol} is paused`, market);
    if (this.circuit.isRefusing) throw this.refusal("paused", this.circuit);
    const endMarketTrial = market?.startTrial();
    // A market that fails by itself says nothing about the provider, so it must not use up the provider's trial.
    const endProviderTrial = market?.isFailing ? undefined : this.circuit.startTrial();
    return () => {
      endMarketTrial?.();
      endProviderTrial?.();
    };
  }

  private async attempt(request: CandleRequest, abort: AbortSignal): Promise<CandleSeries> {
    try {
      return await raceAbort(this.provider.candles({ ...request, abort }), abort);
    } catch (error) {
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

  private succeeded(symbol: string): void {
    this.lastSuccessAt = this.now();
    this.markets.succeed(symbol);
    this.circuit.succeed();
  }

  private failed(symbol: string, error: unknown): unknown {
    if (!isFault(error)) return error;
    this.lastFailure = { error, at: this.now() };
    if (error.scope === "provider") this.circuit.fail(error);
    else if (this.markets.fail(symbol, error)) this.circuit.open(error);
    return error;
  }

  private tooSlow(cause: unknown): ProviderError {
    const message = `no candles within ${this.timeShareMs} ms`;
    return new ProviderError({ provider: this.provider.name, failure: "timeout", message, cause });
  }

  private refusal(what: string, { reason }: Circuit): ProviderError {
    return new ProviderError({
      provider: this.provider.name,
      failure: reason?.failure ?? "unreachable",
      message: `${what} after repeated failures`,
      cause: reason,
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
const MOST_MARKETS_SHARE = 0.75;

interface Market {
  circuit: Circuit;
  reportedAt: number;
}

class MarketCircuits {
  private readonly limits: CircuitLimits;
  private readonly now: () => number;
  private readonly markets = new LRUCache<string, Market>({ max: MAX_MARKETS });

  constructor(options: { limits: CircuitLimits; now: () => number }) {
    this.limits = options.limits;
    this.now = options.now;
  }

  find(symbol: string): Circuit | undefined {
    return this.markets.get(symbol)?.circuit;
  }

  succeed(symbol: string): void {
    this.reported(symbol).succeed();
  }

  /** @returns whether this failure makes most markets fail */
  fail(symbol: string, error: ProviderError): boolean {
    const circuit = this.reported(symbol);
    const wasClosed = circuit.isClosed;
    circuit.fail(error);
    return wasClosed && !circuit.isClosed && this.mostFail();
  }

  private reported(symbol: string): Circuit {
    const circuit = this.find(symbol) ?? new Circuit({ limits: this.limits, now: this.now });
    this.markets.set(symbol, { circuit, reportedAt: this.now() });
    return circuit;
  }

  private mostFail(): boolean {
    const since = this.now() - RECENT_MS;
    const recent = [...this.markets.values()].filter(({ reportedAt }) => reportedAt >= since);
    const failing = recent.filter(({ circuit }) => !circuit.isClosed).length;
    return failing >= MIN_FAILING_MARKETS && failing > recent.length * MOST_MARKETS_SHARE;
  }
}

interface CircuitLimits {
  failuresToOpen: number;
  pauseMs: number;
}

/**
 * Closed until too many calls in a row fail, then open for a while, then half-open with one trial call at a time.
 * cockatiel's breaker owns the calls that it runs, so a call could not belong to two circuits.
 */
class Circuit {
  private readonly limits: CircuitLimits;
  private readonly now: () => number;
  private failuresInRow = 0;
  private opened = false;
  private pausedUntil = 0;
  private trialUnderWay = false;
  private lastFailure: ProviderError | undefined;

  constructor(options: { limits: CircuitLimits; now: () => number }) {
    this.limits = options.limits;
    this.now = options.now;
  }

  get isClosed(): boolean {
    return !this.opened;
  }

  get isFailing(): boolean {
    return this.failuresInRow > 0;
  }

  get isRefusing(): boolean {
    return this.opened && (this.trialUnderWay || this.now() < this.pausedUntil);
  }

  get reason(): ProviderError | undefined {
    return this.lastFailure;
  }

  startTrial(): () => void {
    if (!this.opened) return () => undefined;
    this.trialUnderWay = true;
    return () => {
      this.trialUnderWay = false;
    };
  }

  succeed(): void {
    this.failuresInRow = 0;
    this.opened = false;
  }

  fail(error: ProviderError): void {
    this.failuresInRow += 1;
    this.lastFailure = error;
    if (this.opened || this.failuresInRow >= this.limits.failuresToOpen) this.open(error);
  }

  open(error: ProviderError): void {
    this.lastFailure = error;
    this.opened = true;
    this.pausedUntil = this.now() + this.limits.pauseMs;
  }
}
