import type { ProviderFailure } from "@shared/contract/admin.ts";

export type { ProviderFailure };

/**
 * How much of a provider a failure concerns. `provider`: its connection, its limits or its service as a whole, so that
 * every other call would fail as well. `market`: the market that was asked for; others may work.
 */
export type FailureScope = "market" | "provider";

/** What is known of a failed call. */
interface ProviderFault {
  provider: string;
  failure: ProviderFailure;
  message: string;
  /** `market` unless it is known to be more. */
  scope?: FailureScope | undefined;
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
  readonly scope: FailureScope;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

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
  }
  /** The same failure where it concerns the provider as a whole. */
  ofProvider(): ProviderError {
    if (this.scope === "provider") return this;
    return new ProviderError({ ...this.fault, scope: "provider", cause: this });
  }
}

/** A model declined to answer. The same request is not sent again: it would be declined again. */
export class ModelRefusalError extends ProviderError {
  constructor({ provider, status }: { provider: string; status?: number | undefined }) {
    const message = "the model declined to answer";
    super({ provider, failure: "refused", retryable: false, status, message });
  }
}
