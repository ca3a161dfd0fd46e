import { MESSAGES } from "@shared/contract/constants.ts";
import { ERROR_STATUS, errorBodySchema } from "@shared/contract/errors.ts";
import type { ROUTES } from "@shared/contract/routes/all-routes.ts";
import type { z } from "zod";
import { apiOrigin } from "../env.ts";
import { useSession } from "../session.ts";
import { ApiError } from "./errors.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const UNREACHABLE = "The server cannot be reached. Check your connection and try again.";
const UNREADABLE = "The server sent an answer that could not be read. Please reload the page.";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface ApiRequest<Reply> {
  method?: Method;
  /** With `:name` for each parameter. */
  path: string;
  params?: Record<string, string>;
  query?: object;
  /** Forms are sent as multipart or URL-encoded, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  cache?: RequestCache;
  /** The request outlives the page. */
  keepalive?: boolean;
  /** Covers the response body too. */
  timeoutMs?: number;
  signal?: AbortSignal;
  schema: z.ZodType<Reply>;
}

type Routes = { [Route in (typeof ROUTES)[number] as Route["name"]]: Route };
type RouteAt<Name> = Name extends keyof Routes ? Routes[Name] : never;
type PathOf<M extends Method, Name = keyof Routes> = Name extends `${M} ${infer Path}`
  ? Path
  : never;

type ResponseOf<Route> = Route extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Responses[Status] extends { schema: infer Schema }
        ? z.output<Schema>
        : never;
    }[keyof Responses]
  : never;

type InputOf<Route> = Route extends { request: infer Input }
  ? (Input extends { params: infer Params } ? { params: z.input<Params> } : { params?: never }) &
      (Input extends { query: infer Query }
        ? { query?: Partial<z.output<Query>> | URLSearchParams }
        : { query?: never }) &
      (Input extends { body: infer Body }
        ? { body: z.input<Body> | FormData | URLSearchParams }
        : Input extends { files: unknown }
          ? { body: FormData }
          : { body?: never })
  : never;

type RouteRequest<M extends Method, Path extends string, Schema extends z.ZodType> = Omit<
  ApiRequest<z.output<Schema>>,
  "method" | "path" | "params" | "query" | "body" | "schema"
> &
  InputOf<RouteAt<`${M} ${Path}`>> & {
    path: Path;
    schema: Schema &
      ([ResponseOf<RouteAt<`${M} ${Path}`>>] extends [z.input<Schema>] ? unknown : never);
  } & ("GET" extends M ? { method?: M } : { method: M });

/** Rejects with an `ApiError`, or with the reason of an aborted `signal`. */
export async function callApi<Reply>(origin: string, request: ApiRequest<Reply>): Promise<Reply> {
  const { token } = useSession.getState();
  try {
    const { response, text } = await exchange(origin, token, request);
    if (!response.ok) throw errorOf(response, text);
    return parseReply(response, text, request.schema);
  } catch (error) {
    const isCurrent = token !== null && token === useSession.getState().token;
    if (error instanceof ApiError && isCurrent) applyRefusal(error);
    throw error;
  }
}

function applyRefusal({ status, code }: ApiError): void {
  const { approved, isAdmin, signOut, setAccess } = useSession.getState();
  if (status === 401) signOut("expired");
  if (code === "not-approved") setAccess({ approved: false, role: isAdmin ? "admin" : "user" });
  if (code === "not-admin") setAccess({ approved, role: "user" });
  if (code === "two-factor-enrolment-required") useSession.setState({ mustEnrol: true });
}

async function exchange<Reply>(origin: string, token: string | null, request: ApiRequest<Reply>) {
  const timeout = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signals = request.signal ? [timeout, request.signal] : [timeout];
  try {
    const response = await fetch(`${origin}${pathOf(request)}`, {
      method: request.method ?? "GET",
      headers: headersOf(request, token),
      body: bodyOf(request.body),
      ...(request.cache && { cache: request.cache }),
      keepalive: request.keepalive ?? false,
      signal: AbortSignal.any(signals),
    });
    return { response, text: await response.text() };
  } catch (cause) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (timeout.aborted) {
      throw new ApiError(MESSAGES.requestTimeout, { status: 0, code: "timeout", cause });
    }
    throw new ApiError(UNREACHABLE, { status: 0, code: "network", cause });
  }
}

function pathOf({ path, params = {}, query = {} }: ApiRequest<unknown>): string {
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = String(query instanceof URLSearchParams ? query : new URLSearchParams(present));
  return search ? `${filled}?${search}` : filled;
}

/** A form names its own content type, with the boundary that only the browser knows. */
const isForm = (body: unknown): body is FormData | URLSearchParams =>
  body instanceof FormData || body instanceof URLSearchParams;

const isJson = (body: unknown): boolean => body !== undefined && !isForm(body);

function bodyOf(body: unknown): BodyInit | null {
  if (isForm(body)) return body;
  return body === undefined ? null : JSON.stringify(body);
}

function headersOf(request: ApiRequest<unknown>, token: string | null): Record<string, string> {
  return {
    Accept: "application/json",
    ...(isJson(request.body) ? { "Content-Type": "application/json" } : {}),
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...request.headers,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer from something in between (a proxy) has no body of ours; its status still says what it is. */
function errorOf(response: Response, text: string): ApiError {
  const { status, statusText } = response;
  const body = errorBodySchema.safeParse(parseJson(text)).data;
  const code = body?.code ?? (status === ERROR_STATUS.timeout ? "timeout" : "unknown");
  const detail = body?.detail ?? `Server error: ${status} ${statusText}`.trim();
  return new ApiError(code === "timeout" ? MESSAGES.requestTimeout : detail, {
    status,
    statusText,
    code,
    fieldErrors: body?.errors ?? [],
  });
}

function parseReply<Reply>(response: Response, text: string, schema: z.ZodType<Reply>): Reply {
  const isCsv = response.headers.get("Content-Type")?.startsWith("text/csv");
  const parsed = schema.safeParse(isCsv ? text : parseJson(text));
  if (parsed.success) return parsed.data;
  const { status, statusText } = response;
  throw new ApiError(UNREADABLE, { status, statusText, code: "bad-reply", cause: parsed.error });
}

/** Calls a route of `shared/contract/routes` with the current session. A rejected token ends the session. */
export function api<
  M extends Method = "GET",
  Path extends PathOf<M> = PathOf<M>,
  Schema extends z.ZodType = z.ZodType,
>(request: RouteRequest<M, Path, Schema>): Promise<z.output<Schema>>;
export function api(request: ApiRequest<unknown>): Promise<unknown> {
  return callApi(apiOrigin, request);
}
