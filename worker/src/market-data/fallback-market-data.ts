import type { Logger } from "@shared/runtime/logger.ts";
import {
  type GuardLimits,
  ProviderCircuitBreaker,
  type ProviderHealth,
} from "./circuit-breaker.ts";
import type { CandleRequest, CandleSeries, LiveProvider, MarketData } from "./market-data.ts";
import { ProviderError } from "./provider-error.ts";
import { isStale } from "./stale-series.ts";

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
    const answer = await provider.candles(request).catch(asProviderError);
    if (answer instanceof ProviderError) failures.push(answer);
    else if (isStale(answer, { timeframe, now: at })) stopped.push(answer);
    else current.push(answer);
  }
  if (!abort.aborted) logFailures(logger, failures, symbol);
  const best = longest(current) ?? longest(stopped);
  if (!best) throw summary(failures, request);
  return best;
}

function logFailures(logger: Logger, failures: readonly ProviderError[], symbol: string): void {
  for (const { provider, failure, message: reason } of failures) {
    logger.warn({ provider, failure, reason, symbol }, "no candles");
  }
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  throw error;
}

function inOrder(guarded: readonly ProviderCircuitBreaker[], { symbol, prefer }: CandleRequest) {
  const rank = ({ provider }: ProviderCircuitBreaker) => (provider.name === prefer ? 0 : 1);
  return guarded
    .filter(({ provider }) => provider.covers(symbol))
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
      ? `no candles of ${request.symbol} at ${request.timeframe} can be had`
      : `no live provider lists ${request.symbol}`,
    cause: new AggregateError(failures),
  });
}
