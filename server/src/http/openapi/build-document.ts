import { ERROR_STATUS, type ErrorCode } from "@shared/contract/errors.ts";
import { FILE_URL_MINUTES } from "@shared/contract/files.ts";
import { z } from "zod";
import { DASHBOARD_COOKIE } from "../../modules/queue-dashboard/dashboard-access.ts";
import {
  type Access,
  ANSWER_SCHEMAS,
  type AnswerDoc,
  type BodyDoc,
  REQUEST_SCHEMAS,
  type RouteDoc,
  TAGS,
} from "./route-doc.ts";

const DESCRIPTION = `Send the token of \`POST /login\` as \`Authorization: Bearer <token>\`. Every error has the shape of \
\`Error\`; its \`detail\` is fit to be shown. Times are ISO 8601 in UTC; amounts are in USD. What happens afterwards \
is pushed by Socket.IO on this same host: connect with \`auth: { token }\`.`;

const text = { type: "string" as const };

/** The OpenAPI 3.1 document of the API. */
export function buildDocument(options: {
  version: string;
  serverUrl: string;
  routes: readonly RouteDoc[];
}): OpenApiDocument {
  const { version, serverUrl, routes } = options;
  return {
    openapi: "3.1.0",
    info: { title: "AI Trading Signals", version, description: DESCRIPTION },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: describePaths(routes),
    components: {
      schemas: namedSchemas(),
      headers: {
        RequestId: { description: "Names the request; the server's log has it too.", schema: text },
        RetryAfter: {
          description: "Seconds after which it is worth trying again.",
          schema: { type: "integer", minimum: 1 },
        },
        WwwAuthenticate: { description: "How to authenticate.", schema: { const: "Bearer" } },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        expires: signedUrlPart("expires"),
        signature: signedUrlPart("signature"),
        queueVisit: {
          type: "apiKey",
          in: "cookie",
          name: DASHBOARD_COOKIE,
          description: "Set by `/admin/queue` for a ticket; good for 30 minutes of one session.",
        },
      },
    },
  };
}

/** One of the two that make a file's address good without a token. */
function signedUrlPart(name: string): SecurityScheme {
  return {
    type: "apiKey",
    in: "query",
    name,
    description: `Part of the addresses in \`url\` fields, which are good for ${FILE_URL_MINUTES} minutes.`,
  };
}

function describePaths(routes: readonly RouteDoc[]): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  return paths;
}

/** The parts of an OpenAPI 3.1 document that this API makes use of. */
export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseDoc>;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

interface ResponseDoc {
  description: string;
  headers: Record<string, Header | { $ref: string }>;
  content?: Content;
}

export type Content = Record<string, { schema: JsonSchema }>;

interface Header {
  description: string;
  schema: JsonSchema;
}

type SecurityScheme =
  | { type: "http"; scheme: "bearer"; bearerFormat: string }
  | { type: "apiKey"; in: "query" | "cookie"; name: string; description: string };

const MEDIA_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

const SECURITY: Record<Access, Operation["security"]> = {
  public: [],
  user: [{ bearer: [] }],
  approved: [{ bearer: [] }],
  admin: [{ bearer: [] }],
  owner: [{ bearer: [] }, { expires: [], signature: [] }],
  "queue-page": [{ queueVisit: [] }],
};

/** A route as OpenAPI describes it. */
export function describeRoute(route: RouteDoc): Operation {
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: SECURITY[route.access],
    parameters: [
      ...parametersIn("path", route.params),
      ...parametersIn("query", route.query),
      ...parametersIn("header", route.headers),
    ],
    requestBody: route.body && {
      required: isNeeded(route.body),
      content: bodyContent(route.body),
    },
    responses: { ...describeAnswers(route.answers), ...describeRefusals(route) },
  };
}

/** `:name` as OpenAPI writes it. */
const documentPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** `POST /admin/approve/:username` is `postAdminApproveUsername`. */
function operationId({ method, path }: RouteDoc): string {
  const words = path.split(/\W+/).filter(Boolean);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function parametersIn(place: Parameter["in"], fields: RouteDoc["params"]): Parameter[] {
  if (!fields) return [];
  return fieldsOf(fields).map(({ name, required, schema: { description, ...schema } }) => ({
    in: place,
    name,
    required: required || place === "path",
    description,
    schema,
  }));
}

/** A body may be left out where an empty one would do. */
const isNeeded = ({ schema, files }: BodyDoc): boolean =>
  files !== undefined || !REQUEST_SCHEMAS[schema].safeParse({}).success;

function bodyContent({ schema, types, files = [] }: BodyDoc): Content {
  const fields: JsonSchema = { $ref: refTo(schema) };
  const image: JsonSchema = { type: "string", contentMediaType: "application/octet-stream" };
  const withFiles: JsonSchema = {
    allOf: [
      fields,
      {
        type: "object",
        properties: Object.fromEntries(files.map((name) => [name, image])),
        required: [...files],
      },
    ],
  };
  const described = { schema: files.length > 0 ? withFiles : fields };
  return Object.fromEntries(types.map((type) => [MEDIA_TYPES[type], described]));
}

function describeAnswers(answers: RouteDoc["answers"]): Record<string, ResponseDoc> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]),
  );
}

function describeAnswer(answer: AnswerDoc): ResponseDoc {
  const own = Object.entries(answer.headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: "string" as const } },
  ]);
  return {
    description: answer.description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...Object.fromEntries(own),
    },
    content: answerContent(answer),
  };
}

function answerContent({ schema, contentType }: AnswerDoc): Content | undefined {
  if (schema) return { [MEDIA_TYPES.json]: { schema: { $ref: refTo(schema) } } };
  if (!contentType) return undefined;
  const isText = contentType.startsWith("text/");
  return { [contentType]: { schema: isText ? { type: "string" } : {} } };
}

/** When a request is answered with each code. */
const MEANINGS: Record<ErrorCode, string> = {
  "malformed-body": "The body is not what its Content-Type says.",
  unauthenticated: "There is no token, or it is bad, expired or ended.",
  "invalid-credentials": "The name or the password is wrong.",
  "no-credits": "There are no image credits left.",
  "not-approved": "The account waits for approval.",
  "not-admin": "The caller is no administrator.",
  "image-not-allowed": "The account may not upload images.",
  "file-not-allowed": "The file is somebody else's, or its signed address is bad or expired.",
  "wrong-password": "The current password is wrong.",
  "foreign-origin": "The request does not come from the page of the queue.",
  "not-found": "There is no such thing, or it is somebody else's.",
  "auth/username-already-in-use": "The username is taken.",
  "auth/email-already-in-use": "The e-mail address is taken.",
  "own-account": "Administrators cannot do this to themselves.",
  "file-too-large": "The file is larger than 5 MB.",
  "body-too-large": "The body is too large.",
  "not-an-image": "The file is not a PNG, JPEG or WebP image.",
  "invalid-token": "The token of the mail is wrong, used or expired.",
  "invalid-input": "A field is missing or out of range; `errors` names it.",
  "rate-limited": "Too many requests.",
  internal: "Something is broken on our side.",
  unavailable: "The database or the queue cannot be reached.",
  timeout: "The signal took too long; it will still be finished, and pushed.",
};

const REFUSALS_OF_ACCESS: Record<Access, readonly ErrorCode[]> = {
  public: [],
  user: ["unauthenticated"],
  approved: ["unauthenticated", "not-approved"],
  admin: ["unauthenticated", "not-admin"],
  owner: ["unauthenticated", "file-not-allowed"],
  "queue-page": ["unauthenticated", "not-admin"],
};

/** Headers of the answers with a certain status, besides the request's id. */
const HEADERS_OF_STATUS: Record<number, Record<string, { $ref: string }>> = {
  401: { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

/** Every answer with which a route may refuse, by its status. */
function describeRefusals(route: RouteDoc): Record<string, ResponseDoc> {
  const refusals = refusalsOf(route);
  const statuses = new Set(refusals.map((code) => ERROR_STATUS[code]));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      describeRefusal(
        status,
        refusals.filter((code) => ERROR_STATUS[code] === status),
      ),
    ]),
  );
}

function describeRefusal(status: number, codes: ErrorCode[]): ResponseDoc {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join("\n\n"),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...HEADERS_OF_STATUS[status],
    },
    content: {
      "application/json": {
        schema: { allOf: [{ $ref: refTo("Error") }, { properties: { code: { enum: codes } } }] },
      },
    },
  };
}

function refusalsOf(route: RouteDoc): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...REFUSALS_OF_ACCESS[route.access],
    ...(route.refusals ?? []),
  ]);
  if (route.method === "post") codes.add("malformed-body").add("body-too-large");
  if (route.body?.files) codes.add("file-too-large").add("not-an-image");
  if (route.body || route.query || route.headers) codes.add("invalid-input");
  if (!route.needsNothing) codes.add("unavailable");
  return [...codes.add("internal")];
}

type Direction = "input" | "output";
type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

/** Address of a named schema inside the document. */
const refTo = (name: string): string => `#/components/schemas/${name}`;

/** All named schemas, referring to each other: of bodies as they are sent, of answers as they arrive. */
export function namedSchemas(): Record<string, JsonSchema> {
  return { ...convertAll(REQUEST_SCHEMAS, "input"), ...convertAll(ANSWER_SCHEMAS, "output") };
}

function convertAll(
  schemas: Record<string, z.core.$ZodType>,
  io: Direction,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, uri: refTo, override: overrideFor(io) }).schemas;
  return Object.fromEntries(
    Object.entries(converted).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  );
}

/** One entry for each field of a query, of headers or of a path. */
function fieldsOf(schema: z.ZodObject): { name: string; required: boolean; schema: JsonSchema }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    override: overrideFor("input"),
  });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: typeof field === "boolean" ? {} : field,
  }));
}

/**
 * Says more than zod where that is silent, and less where it only repeats itself: a transformed value is described
 * by what it must become; times need no pattern beside their format, and integers that are safe in JavaScript are so
 * for whoever sends them, but no news for whoever gets them.
 */
const overrideFor =
  (io: Direction): Override =>
  ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod;
    if (def.type === "pipe" && !saysWhatItTakes(jsonSchema)) {
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

const saysWhatItTakes = ({ type, anyOf, $ref }: JsonSchema): boolean =>
  (type ?? anyOf ?? $ref) !== undefined;
