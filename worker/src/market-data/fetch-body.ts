import { abortedByCaller, linkAbort, raceAbort } from "./deadline.ts";
import { ProviderError, type ProviderFailure } from "./market-data.ts";

export interface RequestLimits {
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxBytes: number;
}

export const CANDLE_LIMITS: RequestLimits = {
  headersTimeoutMs: 4_000,
  totalTimeoutMs: 5_000,
  maxBytes: 8_000_000,
};

export interface WholeRequest {
  provider: string;
  url: string;
  init?: {
    method?: string | undefined;
    headers?: Record<string, string> | undefined;
    body?: string | Uint8Array<ArrayBuffer> | undefined;
  };
  /** The caller's; its abort is not a failure of the provider. */
  abort: AbortSignal;
  limits: RequestLimits;
  onAnswer: () => void;
}

const TOO_MANY_REQUESTS = [418, 429];
const REFUSED = [401, 403, 451, 503];
const NULL_BODY_STATUSES = [101, 204, 205, 304];

/**
 * Fetches a whole response within limits of time and size.
 * @throws ProviderError
 */
export async function fetchBody(request: WholeRequest): Promise<Response> {
  const { provider, url, init = {}, abort, limits, onAnswer } = request;
  const limit = new AbortController();
  const { signal } = limit;
  const unlink = linkAbort(limit, abort);
  let timer = setTimeout(() => limit.abort(), limits.headersTimeoutMs);
  let isAnswered = false;
  try {
    const { method = "GET", headers = {}, body = null } = init;
    const response = await fetch(url, { method, headers, body, redirect: "error", signal });
    isAnswered = true;
    onAnswer();
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(), limits.totalTimeoutMs);
    throwIfRefused(response.status, provider);
    const bytes = await readBody(response, { signal, maxBytes: limits.maxBytes });
    return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : bytes, response);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (abort.aborted) throw abortedByCaller(provider, error);
    throw requestFailure(error, { provider, isAnswered, isTimeout: signal.aborted });
  } finally {
    clearTimeout(timer);
    unlink();
    limit.abort();
  }
}

/** Replaces scheme and host of `url`, and puts the path of `baseUrl` first. */
export function withBase(url: string, baseUrl: string | undefined): string {
  if (!baseUrl) return url;
  const base = new URL(baseUrl);
  const { pathname, search } = new URL(url);
  return `${base.origin}${base.pathname.replace(/\/$/, "")}${pathname}${search}`;
}

class BodyTooBigError extends Error {
  override readonly name = "BodyTooBigError";
}

/** Races the signal: fetch in Node.js ignores it once the Response is garbage-collected, and a stalled body never ends. */
export async function readBody(
  response: Response,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    while (reader) {
      const { done, value } = await raceAbort(reader.read(), signal);
      if (done) break;
      length += value.byteLength;
      if (length > maxBytes) throw new BodyTooBigError();
      chunks.push(value);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    // Frees the connection.
    await reader?.cancel(error).catch(() => undefined);
    throw error;
  }
}

function requestFailure(
  cause: unknown,
  {
    provider,
    isAnswered,
    isTimeout,
  }: { provider: string; isAnswered: boolean; isTimeout: boolean },
): ProviderError {
  const isTooBig = cause instanceof BodyTooBigError;
  // Otherwise the connection itself failed: refused, reset, DNS, TLS. A timeout may concern this request only.
  const scope = isTooBig || isTimeout ? "market" : "provider";
  const fail = (failure: ProviderFailure, message: string) =>
    new ProviderError({ provider, failure, scope, message, cause });
  if (!isAnswered) return fail("unreachable", "no answer");
  if (isTooBig) return fail("nonsense", "the answer is too big");
  return fail("timeout", "the answer did not arrive whole");
}

/** Statuses with the same meaning for all services. Others, as that of an unknown symbol, are up to the caller. */
function throwIfRefused(status: number, provider: string): void {
  const rateLimited = TOO_MANY_REQUESTS.includes(status);
  const refused = REFUSED.includes(status);
  if (!rateLimited && !refused && status < 500) return;
  throw new ProviderError({
    provider,
    failure: rateLimited ? "rate-limited" : "refused",
    // Other server errors, such as 500 or 504, may concern the data of one market.
    scope: rateLimited || refused ? "provider" : "market",
    message: `answered with status ${status}`,
  });
}
