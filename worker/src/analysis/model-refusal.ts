import { ProviderError } from "../market-data/market-data.ts";

/** A model declined to answer. The same request would be declined again. */
export class ModelRefusalError extends ProviderError {
  constructor(provider: string, status?: number) {
    const message = "the model declined to answer";
    super({ provider, failure: "refused", retryable: false, status, message });
  }
}
