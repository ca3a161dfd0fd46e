import koaJwt from "koa-jwt";
import { type AppMiddleware, sessionOf } from "../app-context.ts";
import { assertAdmin, assertApproved } from "../policies/account-policies.ts";
import type { ServerDeps } from "../server-deps.ts";
import { findSession, TOKEN_ALGORITHM, tokenKey } from "../sessions.ts";

/**
 * Lets only requests with a good bearer token pass, and leaves their session in `ctx.state`. The user is read
 * from the database every time, so that revoking or deleting him bites at once.
 */
export function requireUser(deps: Pick<ServerDeps, "database" | "settings">): AppMiddleware {
  const secret = tokenKey(deps.settings);
  const verifyToken = koaJwt({
    secret: deps.settings.JWT_SECRET,
    algorithms: [TOKEN_ALGORITHM],
    key: "claims",
  });
  return (ctx, next) => {
    // koa-jwt prefers this one; its option takes no ready key, and a text is made into one for every request.
    ctx.state.secret = secret;
    return verifyToken(ctx, async () => {
      ctx.state.session = await findSession(deps, ctx.state.claims);
      await next();
    });
  };
}

/** Lets only approved users pass; stands after `requireUser`. */
export function requireApproved(): AppMiddleware {
  return (ctx, next) => {
    assertApproved(sessionOf(ctx).user);
    return next();
  };
}

/** Lets only administrators pass; stands after `requireUser`. */
export function requireAdmin(): AppMiddleware {
  return (ctx, next) => {
    assertAdmin(sessionOf(ctx).user);
    return next();
  };
}
