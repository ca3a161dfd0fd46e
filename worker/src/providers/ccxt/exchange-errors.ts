import ccxt from "ccxt";
import { UnusableCandlesError } from "../candles/closed-candles.ts";
import { type FailureScope, ProviderError, type ProviderFailure } from "../provider-error.ts";

/** Error classes of the library with what they mean to a caller; the first that fits counts. */
const MEANINGS = [
  [ccxt.RateLimitExceeded, "rate-limited", "provider", "too many requests"],
  [ccxt.DDoSProtection, "rate-limited", "provider", "too many requests"],
  [ccxt.BadSymbol, "unknown-symbol", "market", "the symbol is not listed"],
  [ccxt.RequestTimeout, "timeout", "market", "no answer in time"],
  [ccxt.ExchangeNotAvailable, "refused", "provider", "the exchange is not available"],
  [ccxt.OnMaintenance, "refused", "provider", "the exchange is under maintenance"],
  [ccxt.AuthenticationError, "refused", "provider", "access was denied"],
  [ccxt.NetworkError, "unreachable", "provider", "no answer"],
  [ccxt.ExchangeError, "refused", "market", "the exchange rejected the request"],
] as const;

/**
 * Puts whatever an exchange library throws into our own terms.
 * The library's messages hold whole answers, so they are kept as the cause and not repeated.
 */
export function toProviderError(error: unknown, provider: string): ProviderError {
  const fail = (failure: ProviderFailure, message: string, scope?: FailureScope) =>
    new ProviderError({ provider, failure, scope, message, cause: error });
  if (error instanceof ProviderError) return error;
  if (error instanceof UnusableCandlesError) return fail("nonsense", error.message);
  const meaning = MEANINGS.find(([errorClass]) => error instanceof errorClass);
  if (!meaning) return fail("nonsense", "the answer could not be understood");
  const [, failure, scope, message] = meaning;
  return fail(failure, message, scope);
}
