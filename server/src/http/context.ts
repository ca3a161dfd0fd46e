import type { KeyObject } from "node:crypto";
import type Router from "@koa/router";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Middleware, ParameterizedContext } from "koa";
import { z } from "zod";
import { unauthenticated } from "./errors.ts";
import type { AuthenticatedSession } from "./sessions.ts";

export interface AppState {
  requestId: string;
  /** When the request came, by the monotonic clock. */
  startedMs: number;
  origin: RequestOrigin;
  /** Adds the request id to each line. */
  log: Logger;
  secret?: KeyObject;
  /** Claims of a verified token. `requireUser` turns them into `session`. */
  claims?: unknown;
  session?: AuthenticatedSession;
}

export type AppContext = ParameterizedContext<AppState>;
export type AppMiddleware = Middleware<AppState>;
export type AppRouter = Router<AppState>;

const routedSchema = z.object({ _matchedRoute: z.string().default("none") });

/**
 * The path of the route as declared, such as `/shared/:token`; `none` if no route matched. One route has many paths:
 * `/login`, `/LOGIN`, `/login/`.
 */
export const matchedRoute = (ctx: AppContext): string => routedSchema.parse(ctx)._matchedRoute;

/** @throws AppError unauthenticated on a route without `requireUser` */
export function sessionOf(ctx: { state: AppState }): AuthenticatedSession {
  if (!ctx.state.session) throw unauthenticated();
  return ctx.state.session;
}
