import type { Readable } from "node:stream";
import Router from "@koa/router";
import type {
  Access,
  RequestSchemas,
  Route,
  RouteResponse,
} from "@shared/contract/routes/define-route.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "./context.ts";
import { rateLimits } from "./rate-limits.ts";
import {
  parseBody,
  parseMultipartForm,
  parseRequest,
  parseUpload,
  type RequestContext,
  uploadedFiles,
} from "./request-input.ts";
import type { AuthenticatedSession } from "./sessions.ts";

export interface BoundRoute<Deps = ServerDeps> extends HandlerOptions<Deps> {
  route: Route;
  /** Parses a request and runs the handler. */
  run: (request: RequestContext, call: Call<Deps>) => Promise<unknown>;
  respond: (call: Call<Deps>) => Promise<void>;
}

/** What a handler needs besides the parsed request. */
export interface Call<Deps = ServerDeps> {
  ctx: AppContext;
  deps: Deps;
  /** Where the request comes from, for the security log. */
  readonly origin: RequestOrigin;
  /** @throws AppError unauthenticated on a public route */
  readonly session: AuthenticatedSession;
}

interface HandlerOptions<Deps> {
  before?: AppMiddleware[];
  /** Runs after the access check, before rate limits and before the body is read. */
  check?: (call: Call<Deps>) => void | Promise<void>;
  /** Runs once a multipart body is read, before its fields are parsed. `files` are the names of those that it has. */
  checkFiles?: (call: Call<Deps>, files: readonly string[]) => void | Promise<void>;
}

type Handler<Input extends RequestSchemas, Responses, Deps> = (
  input: z.output<z.ZodObject<Input>>,
  call: Call<Deps>,
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
  Deps = ServerDeps,
>(
  route: Route<string, Input, Responses>,
  handler: Handler<Input, Responses, Deps>,
  options: HandlerOptions<NoInfer<Deps>> = {},
): BoundRoute<Deps> {
  const schema = z.object(route.request);
  const status = Number(Object.keys(route.responses)[0]);
  const run = async (request: RequestContext, call: Call<Deps>) => {
    const input = parseRequest(schema, request);
    call.ctx.status = status;
    return handler(input, call);
  };
  return {
    ...options,
    route,
    run,
    async respond(call) {
      const body = await run(call.ctx, call);
      if (body !== undefined) call.ctx.body = body;
    },
  };
}

/** Mounts routes with their access checks, rate limits and body parsing. */
export function createRouter<Deps extends ServerDeps>(
  deps: Deps,
  routes: readonly BoundRoute<Deps>[],
  guards: Record<Access, AppMiddleware[]>,
  admitKeys: (route: Route) => AppMiddleware[],
): AppRouter {
  const router = new Router<AppState>();
  const callOf = (ctx: AppContext): Call<Deps> => ({
    ctx,
    deps,
    origin: ctx.state.origin,
    get session() {
      return sessionOf(ctx);
    },
  });
  for (const { route, before = [], check, checkFiles, respond } of routes) {
    router.register(
      route.path,
      [route.method],
      [
        ...before,
        ...admitKeys(route),
        ...guards[route.access],
        async (ctx, next) => {
          await check?.(callOf(ctx));
          await next();
        },
        // A caller without access to the route cannot make the server wait for a body.
        parseBody,
        ...rateLimits(deps, route.limits ?? []),
        ...multipartParser(deps, route),
        async (ctx) => {
          await checkFiles?.(callOf(ctx), Object.keys(uploadedFiles(ctx)));
          await respond(callOf(ctx));
        },
      ],
    );
  }
  return router;
}

/** JSON and URL-encoded bodies are parsed for all routes. */
function multipartParser(
  { uploads }: Pick<ServerDeps, "uploads">,
  { request, bodyTypes }: Route,
): AppMiddleware[] {
  if (request.files) {
    return Object.keys(request.files.shape).map((field) => parseUpload(field, uploads));
  }
  return bodyTypes?.includes("multipart") ? [parseMultipartForm] : [];
}
