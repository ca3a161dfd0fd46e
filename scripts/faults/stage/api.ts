import type { z } from "zod";
import type { PartSlot } from "./part-slot.ts";

/** A call of the API, as a client makes it. */
export interface ApiCall {
  via: PartSlot;
  path: string;
  method?: "GET" | "POST";
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as it is when it is a form. */
  body?: unknown;
}

/** What came back. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A client gives up after this time: longer than the API ever takes. */
const CLIENT_TIMEOUT_MS = 130_000;

/**
 * Calls a server. Each call has a connection of its own, so that none is lost to a connection that an earlier death has
 * left half open.
 * @throws whatever fetch throws when no answer came
 */
export async function callApi(call: ApiCall): Promise<ApiAnswer> {
  const { via, path, method = "GET", token, body } = call;
  const headers = new Headers({ connection: "close", ...call.headers });
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers.set("Content-Type", "application/json");
  const answer = await fetch(via.url + path, {
    method,
    headers,
    signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/**
 * As `callApi`, for calls that have to succeed.
 * @throws Error with the answer when it is no success, or of another shape
 */
export async function expectAnswer<Schema extends z.ZodType>(
  call: ApiCall,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const { status, body } = await callApi(call);
  if (status >= 400) throw new Error(`${call.path} answered ${status}: ${JSON.stringify(body)}`);
  return schema.parse(body);
}
