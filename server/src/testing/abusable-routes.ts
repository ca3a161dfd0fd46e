import { ROUTES } from "@shared/contract/routes/all-routes.ts";

/** A user in the paths of `ABUSABLE_ROUTES`. */
export const VICTIM = "victim";

/** Every route of the API for tests that send invalid requests. */
export const ABUSABLE_ROUTES = ROUTES.map(({ method, path, access, request, usesDatabase }) => {
  // A bearer token is not accepted there, and without a cookie neither body nor database is read.
  const isDashboard = access === "queue-dashboard";
  const body = isDashboard || !("body" in request) ? undefined : request.body;
  return {
    method,
    path: path.replace(":username", VICTIM).replace(/:\w+/, "0123456789abcdef01234567"),
    /** Names of the fields that its body may have. */
    fields: Object.keys(body?.shape ?? {}),
    /** Rejects an empty body. */
    isNeedy: body !== undefined && !body.safeParse({}).success,
    needsToken: access !== "public",
    /** The dashboard first requires a cookie, or the origin of the web pages. */
    needsDatabase: usesDatabase !== false && !path.startsWith("/admin/queue"),
  };
});
