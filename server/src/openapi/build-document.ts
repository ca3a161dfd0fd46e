import { FILE_URL_MINUTES } from "@shared/contract/files.ts";
import { VISIT_COOKIE } from "../queue-page/visit-cookie.ts";
import { describeRoute, documentPath } from "./describe-route.ts";
import { namedSchemas } from "./json-schemas.ts";
import type { OpenApiDocument, Operation, SecurityScheme } from "./openapi-document.ts";
import { type RouteDoc, TAGS } from "./route-doc.ts";

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
          name: VISIT_COOKIE,
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
