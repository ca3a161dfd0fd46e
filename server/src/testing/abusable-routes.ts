import { namedSchemas } from "../http/openapi/build-document.ts";
import { REQUEST_SCHEMAS } from "../http/openapi/route-doc.ts";
import { ROUTE_DOCS } from "../http/openapi/route-docs.ts";

/** A user whom the addresses of `ABUSABLE_ROUTES` name. */
export const VICTIM = "victim";

const schemas = namedSchemas();

/** Every route of the API, with what an abuser wants to know of it. */
export const ABUSABLE_ROUTES = ROUTE_DOCS.map(({ method, path, access, ...route }) => {
  // A token opens nothing there, so that bodies are not looked at, and without its cookie the database is not asked.
  const isPage = access === "queue-page";
  const body = isPage ? undefined : route.body;
  return {
    method: method.toUpperCase(),
    /** An address as good as any. */
    path: path.replace(":username", VICTIM).replace(/:\w+/, "0123456789abcdef01234567"),
    /** Names of the fields that its body may have. */
    fields: Object.keys((body && schemas[body.schema]?.properties) ?? {}),
    /** Whether it refuses a body without any of them. */
    isNeedy: body !== undefined && !REQUEST_SCHEMAS[body.schema].safeParse({}).success,
    needsToken: access !== "public",
    needsDatabase: !route.needsNothing && !isPage,
  };
});
