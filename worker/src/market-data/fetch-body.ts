import { abortedByCaller, linkAbortSignals, raceAbort } from "./deadline.ts";
import { ProviderError } from "./provider-error.ts";

export interface RequestLimits {
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxBytes: number;
}

export interface WholeRequest {
  provider: string;
  url: string;
  init?: {
    method?: string | undefined;
    headers?: Record<string, string> | undefined;
    body?: string | Uint8Array<ArrayBuffer> | undefined;
  };
  /** The first is the caller's; its abort is not a failure of the provider. */
  aborts: readonly [AbortSignal, ...AbortSignal[]];
  limits: RequestLimits;
  onAnswer: () => void;
}

const TOO_MANY_REQUESTS = [418, 429];
const TURNED_AWAY = [401, 403, 451, 503];
const NULL_BODY_STATUSES = [101, 204, 205, 304];

/**
 * Fetches a whole response within limits of time and size.
 * @throws ProviderError
 */
export async function fetchBody(request: WholeRequest): Promise<Response> {
  const timed = new TimedRequest(request);
  try {
    const response = await timed.open();
    request.onAnswer();
    throwIfTurnedAway(response.status, request.provider);
    const body = await timed.read(response);
    return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : body, response);
  } catch (error) {
    throw error instanceof ProviderError ? error : timed.failure(error);
  } finally {
    timed.end();
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

class TimedRequest {
  private answered = false;
  private readonly request: WholeRequest;
  private readonly limit = new AbortController();
  private readonly signal = this.limit.signal;
  private readonly unfollow: () => void;
  private timer: NodeJS.Timeout;

  constructor(request: WholeRequest) {
    this.request = request;
    this.unfollow = linkAbortSignals(this.limit, request.aborts);
    this.timer = this.abortAfter(request.limits.headersTimeoutMs);
  }

  async open(): Promise<Response> {
    const { url, init = {}, limits } = this.request;
    const response = await fetch(url, {
      method: init.method ?? "GET",
      headers: init.headers ?? {},
      body: init.body ?? null,
      redirect: "error",
      signal: this.signal,
    });
    this.answered = true;
    clearTimeout(this.timer);
    this.timer = this.abortAfter(limits.totalTimeoutMs);
    return response;
  }

  /**
   * Races the signal: fetch in Node.js ignores it once the Response has been garbage-collected, and a stalled body
   * would never end.
   */
  async read(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    const reader = response.body?.getReader();
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      while (reader) {
        const { done, value } = await raceAbort(reader.read(), this.signal);
        if (done) break;
        length += value.byteLength;
        if (length > this.request.limits.maxBytes) throw new BodyTooBigError();
        chunks.push(value);
      }
      return Buffer.concat(chunks);
    } catch (error) {
      // Frees the connection; that the body has already failed by itself is no news then.
      await reader?.cancel(error).catch(() => undefined);
      throw error;
    }
  }

  failure(cause: unknown): ProviderError {
    const { provider, aborts } = this.request;
    if (aborts[0].aborted) return abortedByCaller(provider, cause);
    const tooBig = cause instanceof BodyTooBigError;
    // Without a time-out the connection itself failed: refused, reset, DNS, TLS. A time-out may be this request's alone.
    const scope = tooBig || this.signal.aborted ? "market" : "provider";
    if (!this.answered) {
      const message = "no answer";
      return new ProviderError({ provider, failure: "unreachable", scope, message, cause });
    }
    return new ProviderError({
      provider,
      failure: tooBig ? "nonsense" : "timeout",
      scope,
      message: tooBig ? "the answer is too big" : "the answer did not arrive whole",
      cause,
    });
  }

  end(): void {
    clearTimeout(this.timer);
    this.unfollow();
    this.limit.abort();
  }

  private abortAfter(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => this.limit.abort(), timeoutMs);
  }
}

/** Statuses with the same meaning for all services. Others, as that of an unknown symbol, are up to the caller. */
function throwIfTurnedAway(status: number, provider: string): void {
  const rateLimited = TOO_MANY_REQUESTS.includes(status);
  const turnedAway = TURNED_AWAY.includes(status);
  if (!rateLimited && !turnedAway && status < 500) return;
  throw new ProviderError({
    provider,
    failure: rateLimited ? "rate-limited" : "refused",
    // Other errors of a server, as 500 or 504, may come from one market's data.
    scope: rateLimited || turnedAway ? "provider" : "market",
    message: `answered with status ${status}`,
  });
}
