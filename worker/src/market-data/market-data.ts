import type { ProviderFailure } from "@shared/contract/admin.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import type { MarketDataSource } from "@shared/contract/market-data.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { openingTime } from "./candles.ts";

/** `limit` counts closed candles. */
export interface CandleRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  abort: AbortSignal;
  /** Asks for the candle that has not closed yet, too. Never for an analysis. */
  withOpen?: boolean;
  /** Unix milliseconds in the past: the series ends with the last candle closed by then. */
  until?: number;
  /** Unix milliseconds: the series has to reach the candle that closed then. It may be later than the clock here. */
  through?: number;
  prefer?: string;
  /** Asks only this provider: another one would decide with other prices. */
  only?: string | undefined;
}

/** `delayMs` is the delay with which the provider publishes. */
export interface SeriesMarket {
  hours: TradingHours;
  delayMs: number;
}

/**
 * Closed candles, oldest first, without those of closed hours. Flat ones without volume stand for time without trades. `notes` are warnings for the user (`Demo data: …`).
 * Without `market` it never closes and has no delay.
 */
export interface CandleSeries {
  candles: Candle[];
  /** The candle after those, as it is now, if the request asks for it. */
  open?: Candle | undefined;
  /** Unix milliseconds, where candles may be missing: whatever closed by then and is not there will not come. */
  shownUntil?: number;
  provider: string;
  data: MarketDataSource;
  notes: string[];
  market?: SeriesMarket;
}

/** Port of all sources of candles. Rejects with `ProviderError`. */
export interface MarketData {
  candles(request: CandleRequest): Promise<CandleSeries>;
}

/** A connection to the WebSocket of an exchange. It stays lost once it is. */
export interface PriceConnection {
  watch(symbol: string): void;
  /** Returns false if the exchange goes on sending the price until the connection is closed. */
  unwatch(symbol: string): boolean;
  close(): void;
}

/** Port of prices that an exchange sends by itself. */
export interface PriceStream {
  readonly exchange: string;
  connect(listener: {
    onPrice: (symbol: string, price: number) => void;
    onLost: (error: unknown) => void;
  }): PriceConnection;
}

export interface LiveProvider extends MarketData {
  readonly name: string;
  /** Whether the provider deals in this kind of symbol; it may still not list it. */
  covers(symbol: string): boolean;
  symbols(abort: AbortSignal): Promise<string[]>;
  /** Whether it responds at all, even with an error. Never rejects. */
  isReachable(abort: AbortSignal): Promise<boolean>;
  /** Of the symbols that it lists. */
  readonly prices?: PriceStream | undefined;
}

export type { ProviderFailure };

/** `provider`: every other call would fail as well. `market`: other markets may work. */
export type FailureScope = "market" | "provider";

interface ProviderFault {
  provider: string;
  failure: ProviderFailure;
  message: string;
  scope?: FailureScope | undefined;
  retryable?: boolean | undefined;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  retryAt?: number | undefined;
  cause?: unknown;
}

/** A failed call to an external service. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly provider: string;
  readonly failure: ProviderFailure;
  readonly scope: FailureScope;
  readonly retryable: boolean;
  readonly status: number | undefined;
  /** How long the service wants to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** The same as a moment, Unix milliseconds by the clock of the service. */
  readonly retryAt: number | undefined;

  private readonly fault: ProviderFault;

  constructor(fault: ProviderFault) {
    super(`${fault.provider}: ${fault.message}`, { cause: fault.cause });
    this.fault = fault;
    this.provider = fault.provider;
    this.failure = fault.failure;
    this.scope = fault.scope ?? "market";
    this.retryable = fault.retryable ?? fault.failure !== "unknown-symbol";
    this.status = fault.status;
    this.retryAfterMs = fault.retryAfterMs;
    this.retryAt = fault.retryAt;
  }

  ofProvider(): ProviderError {
    if (this.scope === "provider") return this;
    return new ProviderError({ ...this.fault, scope: "provider", cause: this });
  }

  /** Of scope `provider`, as no other market would fare better meanwhile. */
  withRetryAfter(retryAfterMs: number): ProviderError {
    return new ProviderError({ ...this.fault, scope: "provider", retryAfterMs, cause: this });
  }

  /** Whether the service wants to be left alone for a while. */
  get demandsPause(): boolean {
    const namesTime = this.retryAfterMs !== undefined || this.retryAt !== undefined;
    return this.failure === "rate-limited" || namesTime;
  }
}

/** The market has no candles to analyse. `reason` is a sentence for the trader. */
export class UnusableMarketError extends ProviderError {
  readonly reason: string;

  constructor({ provider, reason, cause }: { provider: string; reason: string; cause?: unknown }) {
    super({ provider, failure: "nonsense", message: reason, cause });
    this.reason = reason;
  }
}

/** The provider has not published the requested candle yet. */
export class LateCandleError extends ProviderError {
  constructor(provider: string, through: number) {
    const message = `lacks the candle that closed at ${new Date(through).toISOString()}`;
    super({ provider, failure: "nonsense", message });
  }
}

export const isRateLimit = (error: unknown): boolean =>
  error instanceof ProviderError && error.failure === "rate-limited";

/** Whether a series has the candle that `through` asks for, or shows that there is none: the market was closed. */
export function isThrough(
  { candles, shownUntil = 0 }: Pick<CandleSeries, "candles" | "shownUntil">,
  { timeframe, through = 0 }: Pick<CandleRequest, "timeframe" | "through">,
): boolean {
  const lastTime = candles.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
  return Math.max(lastTime + TIMEFRAME_MS[timeframe], shownUntil) >= through;
}

/** Just after a close an exchange may lack the newest candle, and in a quiet minute no one trades. */
const STOPPED_AFTER_CANDLES = 3;

/** Whether a series ends too early for `now`, considering trading hours and the provider's delay. */
export function isStale(
  series: Pick<CandleSeries, "candles" | "market">,
  { timeframe, now }: { timeframe: Timeframe; now: number },
): boolean {
  const last = series.candles.at(-1);
  if (!last) return true;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  const until = now - delayMs;
  const lengthMs = TIMEFRAME_MS[timeframe];
  let missed = 0;
  let slot = last.time + lengthMs;
  while (missed < STOPPED_AFTER_CANDLES && slot + lengthMs <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      missed += 1;
      slot += lengthMs;
    } else {
      slot = openingTime(opensAt, timeframe);
    }
  }
  return missed >= STOPPED_AFTER_CANDLES;
}
