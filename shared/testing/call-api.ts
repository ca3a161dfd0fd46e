import type { z } from "zod";

export interface ApiRequest {
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a form or a blob. */
  body?: unknown;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

const CLIENT_TIMEOUT_MS = 130_000;

/**
 * Calls the API; with a body by POST by default. Each call has a connection of its own, so that none is lost to a
 * connection that a crash has left half open.
 */
export async function callApi(url: string, request: ApiRequest = {}): Promise<ApiAnswer> {
  const { body, method = body === undefined ? "GET" : "POST", token } = request;
  const headers = new Headers({ connection: "close", ...request.headers });
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const isRaw = body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob;
  if (body !== undefined && !isRaw) headers.set("Content-Type", "application/json");
  const answer = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  const { status } = answer;
  return { status, headers: answer.headers, body: status === 204 ? null : await answer.json() };
}

/**
 * As `callApi`, for calls that must succeed.
 * @throws Error with the answer if it is no success, or of another shape
 */
export async function expectAnswer<Schema extends z.ZodType>(
  schema: Schema,
  url: string,
  request?: ApiRequest,
): Promise<z.infer<Schema>> {
  const { status, body } = await callApi(url, request);
  if (status >= 400) throw new Error(`${url} answered ${status}: ${JSON.stringify(body)}`);
  return schema.parse(body);
}
