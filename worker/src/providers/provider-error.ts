/**
 * Why a provider gave no usable answer.
 * `unreachable`: no answer at all; `unknown-symbol`: it does not list the symbol;
 * `rate-limited`, `refused`, `nonsense`, `timeout`: it was there, but of no use.
 */
export type ProviderFailure =
  | "unreachable"
  | "unknown-symbol"
  | "rate-limited"
  | "refused"
  | "nonsense"
  | "timeout";

/** A failed call to an outside service, in terms that the caller can act on. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly provider: string;
  readonly failure: ProviderFailure;

  constructor(options: {
    provider: string;
    failure: ProviderFailure;
    message: string;
    cause?: unknown;
  }) {
    super(`${options.provider}: ${options.message}`, { cause: options.cause });
    this.provider = options.provider;
    this.failure = options.failure;
  }
}
