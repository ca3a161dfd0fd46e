import { AsyncLocalStorage } from "node:async_hooks";
import { fetchWhole, type RequestLimits, withBase } from "../http/fetch-whole.ts";
import { ProviderError } from "../provider-error.ts";

/** What surrounds a request that an exchange library makes on somebody's behalf. */
export interface RequestScope {
  abort: AbortSignal;
  limits: RequestLimits;
}

/** The part of a fetch call that exchange libraries use. */
export interface ExchangeRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Carries a caller's signal and limits through the library, which has no parameter for either. */
export const requestScope = new AsyncLocalStorage<RequestScope>();

/**
 * A `fetch` for exchange libraries that ends when the caller of `requestScope` gives up, holds its
 * limits for headers and body together, and hands on a body that has arrived whole.
 * @param options.baseUrl replaces scheme and host of every address; its own path, if any, is put
 * before theirs
 * @param options.onAnswer called as soon as an HTTP answer of any status begins
 * @throws ProviderError as `fetchWhole` does, and `nonsense` for what is no JSON: the library would
 * take it for an empty answer
 */
export function createExchangeFetch(options: {
  provider: string;
  baseUrl?: string | undefined;
  onAnswer: () => void;
}): (url: string, request: ExchangeRequest) => Promise<Response> {
  const { provider, baseUrl, onAnswer } = options;
  return async (url, { signal, ...init }) => {
    const scope = requestScope.getStore();
    if (!scope) throw new Error("exchange request outside of a request scope");
    const { abort, limits } = scope;
    const aborts = [abort, ...(signal ? [signal] : [])] as const;
    const asked = { provider, url: withBase(url, baseUrl), init, aborts, limits, onAnswer };
    const response = await fetchWhole(asked);
    const text = await response.text();
    if (response.ok && !looksWhole(text)) {
      throw new ProviderError({ provider, failure: "nonsense", message: "the answer is no JSON" });
    }
    return new Response(text, response);
  };
}

/** Begins and ends as JSON does; a list of markets is too long to be parsed twice. */
function looksWhole(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}
