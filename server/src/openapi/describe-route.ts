import { describeRefusals } from "./describe-refusals.ts";
import { fieldsOf, refTo } from "./json-schemas.ts";
import type { Content, JsonSchema, Operation, Parameter, ResponseDoc } from "./openapi-document.ts";
import type { Access, AnswerDoc, BodyDoc, RouteDoc } from "./route-doc.ts";
import { REQUEST_SCHEMAS } from "./schemas.ts";

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
export const documentPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

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
