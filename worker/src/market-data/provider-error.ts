import type { ProviderFailure } from "@shared/contract/admin.ts";

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
  ofProvider(): ProviderError {
    if (this.scope === "provider") return this;
    return new ProviderError({ ...this.fault, scope: "provider", cause: this });
  }
}

/** A model declined to answer. The same request would be declined again. */
export class ModelRefusalError extends ProviderError {
  constructor({ provider, status }: { provider: string; status?: number | undefined }) {
    const message = "the model declined to answer";
    super({ provider, failure: "refused", retryable: false, status, message });
  }
}
