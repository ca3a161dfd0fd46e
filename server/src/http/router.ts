import type { Readable } from "node:stream";
import Router from "@koa/router";
import type {
  Access,
  RequestSchemas,
  Route,
  RouteResponse,
} from "@shared/contract/routes/define-route.ts";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import type { AppContext, AppMiddleware, AppRouter, AppState } from "./context.ts";
import { rateLimits } from "./rate-limits.ts";
import { parseMultipartForm, parseRequest, parseUpload } from "./request-input.ts";

/** A route with its handler. */
export interface BoundRoute extends HandlerOptions {
  route: Route;
  respond: AppMiddleware;
}

interface HandlerOptions {
  /** Runs before the access check. */
  before?: AppMiddleware[];
  /** Runs after the access check, before rate limits and before a multipart body is read. */
  check?: (ctx: AppContext) => void | Promise<void>;
}

type Handler<Input extends RequestSchemas, Responses> = (
  input: z.output<z.ZodObject<Input>>,
  ctx: AppContext,
) =>
  | Body<Responses>
  | Promise<Body<Responses>>
  | (204 extends keyof Responses ? Promise<void> : never);

type Body<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { schema: infer Schema }
    ? z.output<Schema>
    : Buffer | Readable | string | undefined;
}[keyof Responses];

/**
 * Binds a handler to a route. It gets the parsed request and returns the body of the response, whose status is the first
 * one that the route declares unless the handler sets another.
 */
export function handle<
  Input extends RequestSchemas,
  Responses extends Record<number, RouteResponse>,
>(
  route: Route<string, Input, Responses>,
  handler: Handler<Input, Responses>,
  options: HandlerOptions = {},
): BoundRoute {
  const schema = z.object(route.request);
  const status = Number(Object.keys(route.responses)[0]);
  return {
    ...options,
    route,
    async respond(ctx) {
      const input = parseRequest(schema, ctx);
      ctx.status = status;
      const body = await handler(input, ctx);
      if (body !== undefined) ctx.body = body;
    },
  };
}

/** Mounts routes with their access checks, rate limits and body parsing. */
export function createRouter(
  deps: Pick<ServerDeps, "database" | "settings">,
  routes: readonly BoundRoute[],
  guards: Record<Access, AppMiddleware[]>,
): AppRouter {
  const router = new Router<AppState>();
  for (const { route, before = [], check, respond } of routes) {
    router.register(
      route.path,
      [route.method],
      [
        ...before,
        ...guards[route.access],
        ...(check ? [runCheck(check)] : []),
        ...rateLimits(deps, route.limits ?? []),
        ...multipartParser(route),
        respond,
      ],
    );
  }
  return router;
}

const runCheck =
  (check: NonNullable<HandlerOptions["check"]>): AppMiddleware =>
  async (ctx, next) => {
    await check(ctx);
    await next();
  };

/** JSON and URL-encoded bodies are parsed for all routes. */
function multipartParser({ request, bodyTypes }: Route): AppMiddleware[] {
  if (request.files) return Object.keys(request.files.shape).map(parseUpload);
  return bodyTypes?.includes("multipart") ? [parseMultipartForm] : [];
}
