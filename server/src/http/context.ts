import type { KeyObject } from "node:crypto";
import type Router from "@koa/router";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Middleware, ParameterizedContext } from "koa";
import { unauthenticated } from "./errors.ts";
import type { AuthenticatedSession } from "./sessions.ts";

/** What the middlewares leave in `ctx.state` for those that follow. */
export interface AppState {
  requestId: string;
  /** A logger whose lines carry the request's id. */
  log: Logger;
  /** What tokens are verified with. */
  secret?: KeyObject;
  /** The token's checked but unread claims; `requireUser` turns them into `session`. */
  claims?: unknown;
  session?: AuthenticatedSession;
}

export type AppContext = ParameterizedContext<AppState>;
export type AppMiddleware = Middleware<AppState>;
export type AppRouter = Router<AppState>;

/**
 * The session that `requireUser` found for this request.
 * @throws AppError unauthenticated on a route that `requireUser` does not guard
 */
export function sessionOf(ctx: { state: AppState }): AuthenticatedSession {
  if (!ctx.state.session) throw unauthenticated();
  return ctx.state.session;
}
