import ccxt from "ccxt";
import { UnusableCandlesError } from "../candles/closed-candles.ts";
import { ProviderError, type ProviderFailure } from "../provider-error.ts";

/** Error classes of the library with what they mean to a caller; the first that fits counts. */
const MEANINGS = [
  [ccxt.RateLimitExceeded, "rate-limited", "too many requests"],
  [ccxt.DDoSProtection, "rate-limited", "too many requests"],
  [ccxt.BadSymbol, "unknown-symbol", "the symbol is not listed"],
  [ccxt.RequestTimeout, "timeout", "no answer in time"],
  [ccxt.ExchangeNotAvailable, "refused", "the exchange is not available"],
  [ccxt.OnMaintenance, "refused", "the exchange is under maintenance"],
  [ccxt.AuthenticationError, "refused", "access was denied"],
  [ccxt.NetworkError, "unreachable", "no answer"],
  [ccxt.ExchangeError, "refused", "the exchange rejected the request"],
] as const;

/**
 * Puts whatever an exchange library throws into our own terms.
 * The library's messages hold whole answers, so they are kept as the cause and not repeated.
 */
export function toProviderError(error: unknown, provider: string): ProviderError {
  const fail = (failure: ProviderFailure, message: string) =>
    new ProviderError({ provider, failure, message, cause: error });
  if (error instanceof ProviderError) return error;
  if (error instanceof UnusableCandlesError) return fail("nonsense", error.message);
  const meaning = MEANINGS.find(([errorClass]) => error instanceof errorClass);
  if (meaning) return fail(meaning[1], meaning[2]);
  return fail("nonsense", "the answer could not be understood");
}
