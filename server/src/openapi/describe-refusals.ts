import { ERROR_STATUS, type ErrorCode } from "@shared/contract/errors.ts";
import { refTo } from "./json-schemas.ts";
import type { ResponseDoc } from "./openapi-document.ts";
import type { Access, RouteDoc } from "./route-doc.ts";

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
export function describeRefusals(route: RouteDoc): Record<string, ResponseDoc> {
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
