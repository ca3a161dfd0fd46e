import OpenAI from "openai";
import { ModelRefusalError, ProviderError } from "./provider-error.ts";

type Fault = ConstructorParameters<typeof ProviderError>[0];
type Meaning = Omit<Fault, "provider" | "cause">;

/** Answers that another try will not change, and whose mending takes a person. */
const SETTINGS_FAULTS: Readonly<Record<number, string>> = {
  401: "the API key was not accepted (401): check OPENAI_API_KEY",
  403: "the API key may not use this model (403): check OPENAI_API_KEY and OPENAI_MODEL",
  404: "no such model or address (404): check OPENAI_MODEL and OPENAI_BASE_URL",
};

/** The vendor's word for an account that has nothing left to spend; it comes as a 429, and stays. */
const QUOTA_CODE = "insufficient_quota";

/** Codes of a 400 for a request that a content filter has stopped before the model saw it. */
const REFUSAL_CODES = ["content_filter", "content_policy_violation", "invalid_prompt"];

/**
 * Puts whatever the client throws into our own terms. Servers may repeat the key that they were
 * given, so their words are kept only as a cause that has it blanked out.
 */
export function toAnalystError(error: unknown, apiKey: string): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof OpenAI.APIError && REFUSAL_CODES.includes(error.code ?? "")) {
    return new ModelRefusalError({ provider: "openai", status: error.status });
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const cause = new Error(words.replaceAll(apiKey, "[secret]"));
  return new ProviderError({ provider: "openai", ...meaningOf(error), cause });
}

function meaningOf(error: unknown): Meaning {
  if (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    error instanceof OpenAI.APIUserAbortError
  ) {
    return { failure: "timeout", message: "no answer in time" };
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return { failure: "unreachable", message: "no connection" };
  }
  if (error instanceof OpenAI.APIError) return rejectionOf(error);
  return { failure: "nonsense", message: "the answer could not be read" };
}

function rejectionOf({ status, headers, code }: InstanceType<typeof OpenAI.APIError>): Meaning {
  if (code === QUOTA_CODE) {
    const message = "the account has no quota left: check the plan behind OPENAI_API_KEY";
    return { failure: "rate-limited", retryable: false, status, message };
  }
  const settingsFault = SETTINGS_FAULTS[status ?? 0];
  if (settingsFault) {
    return { failure: "refused", retryable: false, status, message: settingsFault };
  }
  const retryAfterMs = readRetryAfter(headers);
  if (status === 429) {
    return { failure: "rate-limited", status, retryAfterMs, message: "too many requests" };
  }
  const retryable = status === undefined || status >= 500 || status === 408 || status === 409;
  const message = `the request was rejected with status ${status ?? "unknown"}`;
  return { failure: "refused", retryable, status, retryAfterMs, message };
}

/** `Retry-After` in seconds, or `retry-after-ms` as the vendor sends it; undefined for a date or nothing. */
function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const seconds = Number(headers?.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}
