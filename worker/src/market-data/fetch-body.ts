import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { linkAbort, raceAbort, withDeadline } from "../deadline.ts";
import { ProviderError, type ProviderFailure } from "./market-data.ts";
import { readPauseDemand, readRetryAfter, speaksOfLimit } from "./pause-demand.ts";
import { abortedByCaller, startResponseTimer } from "./provider-deadline.ts";

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
  const onTimeout = () => limit.abort();
  let stopTimer = startResponseTimer(limits.headersTimeoutMs, { onTimeout });
  let isAnswered = false;
  try {
    const { method = "GET", headers = {}, body = null } = init;
    const response = await send(url, { method, headers, body, redirect: "error", signal });
    isAnswered = true;
    onAnswer();
    stopTimer();
    stopTimer = startResponseTimer(limits.totalTimeoutMs, { onTimeout });
    await throwIfRefused(response, { provider, signal });
    const bytes = await readBody(response, { signal, maxBytes: limits.maxBytes });
    return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : bytes, response);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (abort.aborted) throw abortedByCaller(provider, error);
    throw requestFailure(error, { provider, isAnswered, isTimeout: signal.aborted });
  } finally {
    stopTimer();
    unlink();
    limit.abort();
  }
}

const brokenConnectionSchema = z.object({
  cause: z.union([
    z.object({
      code: z.literal("UND_ERR_SOCKET"),
      socket: z.object({ bytesRead: z.number().positive() }),
    }),
    z.object({ code: z.enum(["ECONNRESET", "EPIPE"]) }),
  ]),
});

/**
 * Services close connections that they have kept without a request for some seconds. A busy process notices it after it
 * has used one: that request is sent once more, as browsers do.
 */
async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const isBroken = brokenConnectionSchema.safeParse(error).success;
    if (request.method !== "GET" || !isBroken) throw error;
    // Until then, all other connections that were closed are noticed, too.
    await setImmediate();
    return fetch(url, request);
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
async function throwIfRefused(
  response: Response,
  { provider, signal }: { provider: string; signal: AbortSignal },
): Promise<void> {
  const { status, headers } = response;
  const isRefused = REFUSED.includes(status);
  if (!TOO_MANY_REQUESTS.includes(status) && !isRefused && status < 500) return;
  const text = await readErrorText(response, signal);
  const isLimited = TOO_MANY_REQUESTS.includes(status) || (isRefused && speaksOfLimit(text));
  throw new ProviderError({
    provider,
    failure: isLimited ? "rate-limited" : "refused",
    // Other server errors, such as 500 or 504, may concern the data of one market.
    scope: isLimited || isRefused ? "provider" : "market",
    message: `answered with status ${status}`,
    ...(isLimited ? readPauseDemand(text, headers) : readRetryAfter(headers)),
  });
}

const MAX_ERROR_BYTES = 64_000;
const ERROR_BODY_TIMEOUT_MS = 1_000;

/** What can be read of it soon: the status says the most. */
async function readErrorText(response: Response, signal: AbortSignal): Promise<string> {
  const reading = withDeadline(signal, ERROR_BODY_TIMEOUT_MS, (inTime) =>
    readBody(response, { signal: inTime, maxBytes: MAX_ERROR_BYTES }),
  );
  const bytes = await reading.catch(() => undefined);
  return new TextDecoder().decode(bytes);
}
