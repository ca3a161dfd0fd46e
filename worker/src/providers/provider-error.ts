import type { ProviderFailure } from "@shared/contract/health.ts";

export type { ProviderFailure };

/** What is known of a failed call. */
interface ProviderFault {
  provider: string;
  failure: ProviderFailure;
  message: string;
  /** Whether the same call may succeed in a moment; unless told otherwise all may but an unknown symbol. */
  retryable?: boolean | undefined;
  /** HTTP status of the answer. */
  status?: number | undefined;
  /** How long the provider asks to be left alone, in milliseconds. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A failed call to an outside service, in terms that the caller can act on. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly provider: string;
  readonly failure: ProviderFailure;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(fault: ProviderFault) {
    super(`${fault.provider}: ${fault.message}`, { cause: fault.cause });
    this.provider = fault.provider;
    this.failure = fault.failure;
    this.retryable = fault.retryable ?? fault.failure !== "unknown-symbol";
    this.status = fault.status;
    this.retryAfterMs = fault.retryAfterMs;
  }
}
