import { type ChannelEvent, channelEventSchema, factsOfEvent } from "@shared/contract/channels.ts";
import { ERROR_STATUS, type ErrorCode, errorBodySchema } from "@shared/contract/errors.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { FILE_URL_MINUTES } from "@shared/contract/files.ts";
import {
  type Access,
  keyScopesOf,
  type Route,
  type RouteResponse,
  TAGS,
} from "@shared/contract/routes/define-route.ts";
import { z } from "zod";
import { isOpenForEnrolment } from "../../http/access.ts";
import { dashboardCookie } from "../queue-dashboard/dashboard-access.ts";

const DESCRIPTION = `Send the token of \`POST /login\` as \`Authorization: Bearer <token>\`. Every error has the shape of \
\`Error\`; its \`detail\` can be shown to users. Times are ISO 8601 in UTC; amounts are in USD. Later changes \
are pushed by Socket.IO on the same host: connect with \`auth: { token }\`. Programs use a key of \`POST /me/api-keys\` \
in place of the token. Limited calls have the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds).`;

const text = { type: "string" as const };

export function buildDocument(options: {
  version: string;
  serverUrl: string;
  routes: readonly Route[];
}) {
  const { version, serverUrl, routes } = options;
  return {
    openapi: "3.1.0" as const,
    info: { title: "AI Trading Signals", version, description: DESCRIPTION },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: describePaths(routes),
    webhooks: describeWebhooks(),
    components: {
      schemas: namedSchemas(routes),
      headers: {
        RequestId: { description: "Id of the request, also in the server's log.", schema: text },
        RetryAfter: {
          description: "Seconds to wait before a retry.",
          schema: { type: "integer", minimum: 1 },
        },
        WwwAuthenticate: { description: "How to authenticate.", schema: { const: "Bearer" } },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "A key of `POST /me/api-keys`. A call names the scopes of which the key needs one; no key may make a call that names none.",
        },
        expires: signedUrlPart("expires"),
        signature: signedUrlPart("signature"),
        queueSession: {
          type: "apiKey",
          in: "cookie",
          name: dashboardCookie({ VITE_API_URL: serverUrl }).name,
          description: "Set by `POST /admin/queue`. Valid for 30 minutes of one session.",
        },
      },
    },
  };
}

function signedUrlPart(name: string) {
  return {
    type: "apiKey",
    in: "query",
    name,
    description: `Part of the addresses in \`url\` fields, which are good for ${FILE_URL_MINUTES} minutes.`,
  };
}

function describePaths(routes: readonly Route[]) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return paths;
}

export type OpenApiDocument = ReturnType<typeof buildDocument>;
export type Operation = ReturnType<typeof describeRoute>;
export type Parameter = ReturnType<typeof describeParameters>[number];
export type JsonSchema = z.core.JSONSchema.BaseSchema;
export type Content = Record<string, { schema: JsonSchema }>;

const MEDIA_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  public: [],
  user: [{ bearer: [] }],
  approved: [{ bearer: [] }],
  admin: [{ bearer: [] }],
  owner: [{ bearer: [] }, { expires: [], signature: [] }],
  "queue-dashboard": [{ queueSession: [] }],
};

function securityOf(route: Route) {
  const keys = keyScopesOf(route).map((scope) => ({ apiKey: [scope] }));
  return route.access === "public" ? [] : [...SECURITY[route.access], ...keys];
}

/** A route as OpenAPI describes it. */
export function describeRoute(route: Route) {
  const { params, query, headers } = route.request;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: securityOf(route),
    parameters: [
      ...describeParameters("path", params),
      ...describeParameters("query", query),
      ...describeParameters("header", headers),
    ],
    requestBody: describeBody(route),
    responses: {
      ...mapValues(route.responses, describeResponse),
      ...describeErrors(route),
    },
  };
}

/** `:name` as OpenAPI writes it. */
const documentPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** `POST /admin/approve/:username` is `postAdminApproveUsername`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/\W+/).filter(Boolean);
  const names = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + names.join("");
}

function describeParameters(place: "path" | "query" | "header", schema: z.ZodObject | undefined) {
  if (!schema) return [];
  const override = overrideFor("input");
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", override });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === "boolean" ? {} : property;
    return {
      in: place,
      name,
      required: required.includes(name) || place === "path",
      description,
      schema: rest,
    };
  });
}

/** A body is optional if an empty one is valid. */
function describeBody({
  request,
  bodyTypes,
}: Route): { required: boolean; content: Content } | undefined {
  const { body, files } = request;
  if (!body) return undefined;
  const types = bodyTypes ?? (files ? (["multipart"] as const) : (["json", "form"] as const));
  const fields: JsonSchema = refTo(body);
  const schema = files ? { allOf: [fields, describeFiles(Object.keys(files.shape))] } : fields;
  return {
    required: files !== undefined || !body.safeParse({}).success,
    content: Object.fromEntries(types.map((type) => [MEDIA_TYPES[type], { schema }])),
  };
}

function describeFiles(names: string[]): JsonSchema {
  const image: JsonSchema = { type: "string", contentMediaType: "application/octet-stream" };
  const properties = Object.fromEntries(names.map((name) => [name, image]));
  return { type: "object", properties, required: names };
}

function describeResponse(response: RouteResponse) {
  return {
    description: response.description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...mapValues(response.headers ?? {}, (description) => ({ description, schema: text })),
    },
    content: responseContent(response),
  };
}

function responseContent({ schema, contentType }: RouteResponse): Content | undefined {
  if (schema) return { [MEDIA_TYPES.json]: { schema: refTo(schema) } };
  if (!contentType) return undefined;
  const types = [contentType].flat();
  return Object.fromEntries(
    types.map((type) => [type, { schema: type.startsWith("text/") ? text : {} }]),
  );
}

const mapValues = <Value, Result>(values: Record<string, Value>, map: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));

const ERROR_MEANINGS: Record<ErrorCode, string> = {
  "malformed-body": "The body does not match its Content-Type.",
  unauthenticated: "The token is missing, invalid, expired or revoked.",
  "invalid-credentials": "The username or password is wrong.",
  "two-factor-required": "The second factor is on, and no code was sent.",
  "no-credits": "No image credits are left.",
  "not-approved": "The account is not approved.",
  "not-admin": "The caller is not an administrator.",
  "image-not-allowed": "Image upload is not enabled for the account.",
  "file-not-allowed": "The file belongs to another user, or its signed URL is invalid or expired.",
  "wrong-password": "The current password or the code is wrong.",
  "email-not-verified": "The email address of the account is not verified.",
  "foreign-origin": "The request comes from a page of another origin.",
  "key-scope": "The API key has no scope for this call, or no API key may make it.",
  "reauthentication-required":
    "Your own password, and the code if your second factor is on, are required.",
  "two-factor-enrolment-required":
    "Administrators must turn on the second factor before they can call this.",
  "not-found": "It does not exist, or it belongs to another user.",
  "method-not-allowed": "The server sends nothing unless it is asked; use `POST`.",
  "auth/username-already-in-use": "The username is taken.",
  "auth/email-already-in-use": "The email address is taken.",
  "own-account": "Administrators cannot do this to their own account.",
  "last-admin": "There must be at least one administrator.",
  "subscription-running": "A subscription with another plan is running. Renew it instead.",
  "two-factor-enabled": "The second factor is on already.",
  "already-watched": "The market is on the watchlist already.",
  "already-exists": "There is such a channel already.",
  "idempotency-conflict": "The `Idempotency-Key` was used for another request.",
  "proof-changed": "The current payment proof is not that of `proof_id`.",
  "file-too-large": "The file is larger than 5 MB.",
  "body-timeout": "The request was not sent completely in time: 10 s, or 120 s for files.",
  "body-too-large": "The body is too large.",
  "not-an-image": "The file is not a PNG, JPEG or WebP image.",
  "invalid-token": "The token of the email is invalid, used or expired.",
  "invalid-code": "The code is wrong.",
  "invalid-input": "A field is missing or out of range; `errors` names it.",
  "watchlist-full": "The watchlist has as many items as it may have.",
  "channel-unavailable": "This kind of channel is not set up, or the channel is not linked yet.",
  "too-many-channels": "There are as many channels as a user may have.",
  "too-many-keys": "There are as many API keys as a user may have.",
  "rate-limited": "Too many requests.",
  internal: "Unexpected error on the server.",
  unavailable:
    "The database or the queue is unavailable, or the list of markets is not complete yet.",
  timeout:
    "The signal took too long, or the server stopped. It will still be finished and pushed: `signal_id`, and `Location`, name it.",
};

const ACCESS_ERRORS: Record<Access, readonly ErrorCode[]> = {
  public: [],
  user: ["unauthenticated"],
  approved: ["unauthenticated", "not-approved"],
  admin: ["unauthenticated", "not-admin"],
  owner: ["unauthenticated", "file-not-allowed"],
  "queue-dashboard": ["unauthenticated", "not-admin"],
};

const STATUS_HEADERS: Record<number, Record<string, { $ref: string }>> = {
  401: { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

function describeErrors(route: Route) {
  const codes = errorsOf(route);
  const statuses = new Set(codes.map((code) => ERROR_STATUS[code]));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      describeError(
        status,
        codes.filter((code) => ERROR_STATUS[code] === status),
      ),
    ]),
  );
}

function describeError(status: number, codes: ErrorCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n\n"),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...STATUS_HEADERS[status],
    },
    content: {
      [MEDIA_TYPES.json]: {
        schema: { allOf: [refTo(errorBodySchema), { properties: { code: { enum: codes } } }] },
      },
    },
  };
}

function errorsOf(route: Route): ErrorCode[] {
  const { params, ...input } = route.request;
  const codes = new Set<ErrorCode>([...ACCESS_ERRORS[route.access], ...(route.errors ?? [])]);
  const isPublic = route.access === "public";
  if (route.usesDatabase !== false)
    codes.add("unauthenticated").add("key-scope").add("rate-limited");
  if (!isPublic && !isOpenForEnrolment(route.path)) codes.add("two-factor-enrolment-required");
  if (route.limits) codes.add("rate-limited");
  if (route.method !== "GET") {
    codes.add("malformed-body").add("body-too-large").add("body-timeout");
  }
  if (input.files) codes.add("file-too-large").add("not-an-image");
  if (Object.keys(input).length > 0) codes.add("invalid-input");
  if (route.usesDatabase !== false) codes.add("unavailable");
  return [...codes.add("internal")];
}

type Direction = "input" | "output";
type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

const uriOf = (id: string): string => `#/components/schemas/${id}`;

/**
 * Refers to a schema of the document by its id.
 * @throws Error if it has none: schemas of bodies are declared with `.meta({ id })`
 */
function refTo(schema: z.core.$ZodType): { $ref: string } {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error("A body's schema has no id");
  return { $ref: uriOf(id) };
}

/** All schemas with an id: those of request bodies as they are sent, the others as they are received. */
function namedSchemas(routes: readonly Route[]): Record<string, JsonSchema> {
  const bodies = routes.flatMap(({ request }) => {
    const id = request.body && z.globalRegistry.get(request.body)?.id;
    return id === undefined ? [] : [id];
  });
  const sent = Object.entries(convertAll("input")).filter(([id]) => bodies.includes(id));
  return { ...convertAll("output"), ...Object.fromEntries(sent) };
}

function convertAll(io: Direction): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io,
    uri: uriOf,
    unrepresentable: "any",
    override: overrideFor(io),
  });
  return mapValues(schemas, ({ $schema, $id, ...schema }) => schema);
}

/**
 * Corrects zod's output: a transformed value is described by its target, times need no pattern beside their format, and
 * the limits of safe integers are left out of responses.
 */
export const overrideFor =
  (io: Direction): Override =>
  ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod;
    if (def.type === "pipe" && !hasType(jsonSchema)) {
      const { $schema, ...target } = z.toJSONSchema(def.out, {
        io: "output",
        unrepresentable: "any",
        override: overrideFor(io),
      });
      Object.assign(jsonSchema, target);
    }
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    if (io === "input") return;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  };

const hasType = ({ type, anyOf, $ref }: JsonSchema): boolean =>
  (type ?? anyOf ?? $ref) !== undefined;

const HEADERS = {
  "webhook-id": "The same in all attempts to send this message.",
  "webhook-timestamp": "Time of this attempt in Unix seconds.",
  "webhook-signature":
    "One or more signatures of `id.timestamp.body`, as `v1,` and HMAC-SHA256 in base64, separated by spaces.",
};

/** `signal.entry_left` is `SignalEntryLeftMessage`. */
const schemaId = (event: ChannelEvent): string =>
  `${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Message`;

const dataSchemas = new Map<string, z.ZodType>(Object.entries(eventSchemas));

/** Messages by event, described beside the other schemas of the document. */
const messages = channelEventSchema.options.map((event) => {
  const data = dataSchemas.get(factsOfEvent(event).name) ?? z.unknown();
  const id = schemaId(event);
  const schema = z.object({ type: z.literal(event), timestamp: z.iso.datetime(), data });
  z.globalRegistry.add(schema, { id });
  return { event, id };
});

/** What webhook channels receive, as the `webhooks` of OpenAPI. */
function describeWebhooks() {
  return Object.fromEntries(
    messages.map(({ event, id }) => [event, { post: describe(event, id) }]),
  );
}

function summaryOf(event: ChannelEvent): string {
  const { when, audience } = factsOfEvent(event);
  return audience === "admins" ? `${when} (administrators)` : when;
}

const describe = (event: ChannelEvent, id: string) => ({
  tags: ["Channels"],
  summary: summaryOf(event),
  description: "Signed as in Standard Webhooks. Sent at least once, in order for each channel.",
  security: [],
  parameters: Object.entries(HEADERS).map(([name, description]) => ({
    in: "header",
    name,
    description,
    required: true,
    schema: { type: "string" },
  })),
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${id}` } } },
  },
  responses: {
    "2XX": { description: "Received. Any other response is retried for up to nine hours." },
    410: { description: "Turns the channel off." },
  },
});
