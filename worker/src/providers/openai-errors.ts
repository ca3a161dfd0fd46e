import OpenAI from "openai";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

/**
 * Puts whatever the client throws into our own terms. Servers may repeat the key that they were
 * given, so their words are kept only as a cause that has it blanked out.
 */
export function toAnalystError(error: unknown, apiKey: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const { failure, message } = meaning(error);
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const cause = new Error(words.replaceAll(apiKey, "[secret]"));
  return new ProviderError({ provider: "openai", failure, message, cause });
}

function meaning(error: unknown): { failure: ProviderFailure; message: string } {
  if (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    error instanceof OpenAI.APIUserAbortError
  ) {
    return { failure: "timeout", message: "no answer in time" };
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return { failure: "unreachable", message: "no connection" };
  }
  if (error instanceof OpenAI.RateLimitError) {
    return { failure: "rate-limited", message: "too many requests" };
  }
  if (error instanceof OpenAI.APIError) {
    return { failure: "refused", message: `the request was rejected with status ${error.status}` };
  }
  return { failure: "nonsense", message: "the answer could not be read" };
}
