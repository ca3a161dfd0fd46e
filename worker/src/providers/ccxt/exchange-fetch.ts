import { AsyncLocalStorage } from "node:async_hooks";
import { callerGaveUp } from "../abortable.ts";
import { ProviderError } from "../provider-error.ts";

/** How long one REST request may take, in milliseconds, and how much it may bring, in bytes. */
export interface RequestLimits {
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxBytes: number;
}

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

const TOO_MANY_REQUESTS = [418, 429];
const TURNED_AWAY = [403, 451];
const NULL_BODY_STATUSES = [101, 204, 205, 304];

/**
 * A `fetch` for exchange libraries that ends when the caller of `requestScope` gives up, holds its
 * limits for headers and body together, and hands on a body that has arrived whole.
 * @param options.baseUrl replaces scheme and host of every address; its own path, if any, is put
 * before theirs
 * @param options.onAnswer called as soon as an HTTP answer of any status begins
 * @throws ProviderError `unreachable` when nothing answered in time, `timeout` when the answer did
 * not come to its end, `nonsense` when it is too big, `rate-limited` or `refused` by its status
 */
export function createExchangeFetch(options: {
  provider: string;
  baseUrl?: string | undefined;
  onAnswer: () => void;
}): (url: string, request: ExchangeRequest) => Promise<Response> {
  return async (url, request) => {
    const scope = requestScope.getStore();
    if (!scope) throw new Error("exchange request outside of a request scope");
    const timed = new TimedRequest(scope, request.signal);
    try {
      const response = await timed.open(withBase(url, options.baseUrl), request);
      options.onAnswer();
      throwIfTurnedAway(response.status, options.provider);
      const body = await timed.read(response);
      return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : body, response);
    } catch (error) {
      throw error instanceof ProviderError ? error : timed.failure(options.provider, error);
    } finally {
      timed.end();
    }
  };
}

class BodyTooBigError extends Error {
  override readonly name = "BodyTooBigError";
}

/** One request and its answer under one pair of time limits. */
class TimedRequest {
  private answered = false;
  private readonly scope: RequestScope;
  private readonly limit = new AbortController();
  private readonly signal: AbortSignal;
  private timer: NodeJS.Timeout;

  constructor(scope: RequestScope, librarySignal: AbortSignal | undefined) {
    this.scope = scope;
    const signals = [scope.abort, this.limit.signal, ...(librarySignal ? [librarySignal] : [])];
    this.signal = AbortSignal.any(signals);
    this.timer = this.abortAfter(scope.limits.headersTimeoutMs);
  }

  async open(url: string, { method, headers, body }: ExchangeRequest): Promise<Response> {
    const response = await fetch(url, {
      method: method ?? "GET",
      headers: headers ?? {},
      body: body ?? null,
      redirect: "error",
      signal: this.signal,
    });
    this.answered = true;
    clearTimeout(this.timer);
    this.timer = this.abortAfter(this.scope.limits.totalTimeoutMs);
    return response;
  }

  /** @throws BodyTooBigError when the body is longer than allowed */
  async read(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > this.scope.limits.maxBytes) throw new BodyTooBigError();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** What `error` means, seen from how far the answer had come. */
  failure(provider: string, cause: unknown): ProviderError {
    if (this.scope.abort.aborted) return callerGaveUp(provider, cause);
    if (!this.answered) {
      return new ProviderError({ provider, failure: "unreachable", message: "no answer", cause });
    }
    const tooBig = cause instanceof BodyTooBigError;
    return new ProviderError({
      provider,
      failure: tooBig ? "nonsense" : "timeout",
      message: tooBig ? "the answer is too big" : "the answer did not arrive whole",
      cause,
    });
  }

  end(): void {
    clearTimeout(this.timer);
    this.limit.abort();
  }

  private abortAfter(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => this.limit.abort(), timeoutMs);
  }
}

function withBase(url: string, baseUrl: string | undefined): string {
  if (!baseUrl) return url;
  const base = new URL(baseUrl);
  const { pathname, search } = new URL(url);
  return `${base.origin}${base.pathname.replace(/\/$/, "")}${pathname}${search}`;
}

/**
 * Statuses that mean the same everywhere are judged here: the library looks at the body first, and
 * a gateway's body is in nobody's dialect. Other statuses, such as that of an unknown symbol, are
 * left to the library.
 */
function throwIfTurnedAway(status: number, provider: string): void {
  const rateLimited = TOO_MANY_REQUESTS.includes(status);
  if (!rateLimited && !TURNED_AWAY.includes(status) && status < 500) return;
  throw new ProviderError({
    provider,
    failure: rateLimited ? "rate-limited" : "refused",
    message: `answered with status ${status}`,
  });
}
