import type { Logger } from "@shared/node/logger.ts";
import { GuardedProvider, type GuardLimits, type ProviderHealth } from "./guarded-provider.ts";
import type { LiveProvider } from "./live-provider.ts";
import type { CandleRequest, CandleSeries, MarketData } from "./market-data.ts";
import { ProviderError } from "./provider-error.ts";

/**
 * Patience with each provider: five that hang leave a request of 60 s enough time for the rest of
 * its work.
 */
export const DEFAULT_GUARD_LIMITS: GuardLimits = {
  timeShareMs: 6_000,
  retryDelayMs: 150,
  failuresToRest: 3,
  restMs: 30_000,
};

export interface FallbackMarketData extends MarketData {
  health(): ProviderHealth[];
}

/**
 * Asks the providers in their order until one has all the candles. Where none has as many as asked,
 * as for a young listing, the longest series counts.
 */
export function createFallbackMarketData(options: {
  providers: readonly LiveProvider[];
  now: () => number;
  logger: Logger;
  limits?: GuardLimits;
}): FallbackMarketData {
  const { now, logger, limits = DEFAULT_GUARD_LIMITS } = options;
  const guarded = options.providers.map(
    (provider) => new GuardedProvider({ provider, now, limits }),
  );
  return {
    candles: (request) => firstComplete(guarded, request, logger),
    health: () => guarded.map((provider) => provider.health()),
  };
}

async function firstComplete(
  guarded: readonly GuardedProvider[],
  request: CandleRequest,
  logger: Logger,
): Promise<CandleSeries> {
  const able = guarded.filter(({ provider }) => provider.covers(request.symbol));
  const failures: ProviderError[] = [];
  let longest: CandleSeries | undefined;
  for (const candidate of able) {
    const answer = await seriesOrFailure(candidate, request);
    if (answer instanceof ProviderError) {
      failures.push(answer);
      if (request.abort.aborted) break;
      const { provider, failure, message: reason } = answer;
      logger.warn({ provider, failure, reason, symbol: request.symbol }, "no candles");
      continue;
    }
    if (answer.candles.length >= request.limit) return answer;
    if (answer.candles.length > (longest?.candles.length ?? 0)) longest = answer;
  }
  if (longest) return longest;
  throw summary(failures, request);
}

async function seriesOrFailure(
  provider: GuardedProvider,
  request: CandleRequest,
): Promise<CandleSeries | ProviderError> {
  try {
    return await provider.candles(request);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

/**
 * The failure that tells the caller most: what a provider that was there said, before silence,
 * before ignorance.
 */
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
