import { actionDoneSchema } from "@shared/contract/admin.ts";
import type { ApiKeyScope } from "@shared/contract/api-keys.ts";
import { SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import type { ErrorCode } from "@shared/contract/errors.ts";
import { z } from "zod";

/**
 * Who may call a route. `owner`: the file's owner, administrators, and anyone with its signed URL. `queue-dashboard`: a
 * browser in which an administrator has opened the queue dashboard.
 */
export type Access = "public" | "user" | "approved" | "admin" | "owner" | "queue-dashboard";

export const TAGS = {
  Accounts: "Registration, sign-in, passwords and your own account.",
  Keys: "API keys for your own programs.",
  Signals: "Request trading signals and read them.",
  Watchlist: "Markets that are analysed for you when their candles close.",
  Channels: "Messages outside the app, such as email, Telegram, web push and webhooks.",
  Ledger: "Tamper-evident record of all market analyses and their outcomes.",
  Payments: "Payment details and proofs of payment.",
  Administration: "Users, payment settings and images. For administrators only.",
  Queue: "The queue dashboard. For administrators only.",
  Files: "Uploaded images.",
  Service: "Health, version and description of the service.",
} as const;

/** At most `points` requests per period, over all servers. */
export interface RateLimit {
  name: string;
  points: number;
  per: "minute" | "10 minutes" | "hour";
  /** Counted separately for each combination of these. An address is an IPv4 address or an IPv6 /64 network. */
  by: readonly ("address" | "user" | `body.${string}`)[];
  /** If set, only requests that fail with this code use up a point. */
  onlyAfter?: ErrorCode;
  /** If set, requests that fail with this code do not use up a point. */
  notAfter?: ErrorCode;
}

/** A file of a multipart body. It is in memory only once it is read. */
export interface UploadedFile {
  /** Of its bytes, in hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  read(): Promise<Uint8Array>;
  /** Whether its sender has hung up. */
  isAbandoned(): boolean;
}

/** @param missing what is said if it is not sent */
export const uploadedFile = (missing: string) =>
  z.custom<UploadedFile>((file) => file !== undefined, { error: missing });

/** `files` are the images of a multipart body. */
type RequestPart = "params" | "query" | "headers" | "body" | "files";

/** Schemas by part of the request. If several parts are invalid, the error message is about the first one. */
export type RequestSchemas = Readonly<Record<string, z.ZodObject>>;

export interface RouteResponse {
  description: string;
  schema?: z.core.$ZodType;
  /** Several if the request chooses one. */
  contentType?: string | readonly string[];
  /** Headers of this response, with a description of each. */
  headers?: Record<string, string>;
}

interface Declaration<Responses> {
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  access: Access;
  /** API keys with one of these scopes may call it; see `keyScopesOf` if absent. */
  scopes?: readonly ApiKeyScope[];
  limits?: readonly RateLimit[];
  /** Content types of the body. JSON and URL-encoded forms if absent, multipart if there are files. */
  bodyTypes?: readonly ("json" | "form" | "multipart")[];
  /** The first one is the default. */
  responses: Responses;
  /** Errors besides those that follow from access, limits and input. */
  errors?: readonly ErrorCode[];
  /** True if production does not serve it to the public. */
  hiddenInProduction?: true;
  /** False if it responds without the database. */
  usesDatabase?: false;
}

/** One endpoint of the API. The router, the API description, client types and access tests derive from it. */
export interface Route<
  Name extends string = string,
  Input extends RequestSchemas = RequestSchemas,
  Responses extends Record<number, RouteResponse> = Record<number, RouteResponse>,
> extends Declaration<Responses> {
  /** Method and path, such as `GET /signals/:id`. */
  name: Name;
  method: string;
  path: string;
  request: Input;
}

/** Scopes of which a key needs one: those that the route declares; `read` for public reading; none may call any other. */
export const keyScopesOf = ({
  scopes,
  access,
  method,
}: Pick<Route, "scopes" | "access" | "method">): readonly ApiKeyScope[] =>
  scopes ?? (access === "public" && method === "GET" ? ["read"] : []);

type RouteName = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** Declares an endpoint; its handler is bound to it in a module of the server. */
export function defineRoute<
  const Name extends RouteName,
  Responses extends Record<number, RouteResponse>,
  Input extends RequestSchemas = Record<never, never>,
>(
  name: Name,
  declaration: Declaration<Responses> & {
    request?: Input & Record<Exclude<keyof Input, RequestPart>, never>;
  },
): Route<Name, Input, Responses>;
export function defineRoute(
  name: RouteName,
  declaration: Declaration<Record<number, RouteResponse>> & { request?: RequestSchemas },
): Route {
  const [method = "", path = ""] = name.split(" ");
  return { ...declaration, name, method, path, request: declaration.request ?? {} };
}

export const done = {
  description: "A sentence that confirms the action.",
  schema: actionDoneSchema,
};

/** For 24 hours, a repeated key has no further effect. */
export const idempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(SIGNAL_LIMITS.idempotencyKeyLength, { error: "Use at most 64 characters." })
    .regex(/^[\x21-\x7e]+$/, { error: "Use visible ASCII characters only." })
    .optional(),
});

export const filenameParams = z.object({ filename: z.string() });
