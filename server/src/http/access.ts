import type { Route } from "@shared/contract/routes/define-route.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { mustEnrol } from "@shared/domain/access.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import koaJwt from "koa-jwt";
import type { ServerDeps } from "../server-deps.ts";
import { API_KEY_LIMIT, apiKeyOf, assertScope } from "./api-keys.ts";
import { type AppMiddleware, matchedRoute, sessionOf } from "./context.ts";
import type { KeyCallQueue } from "./key-call-queue.ts";
import { KnownApiKeys } from "./known-api-keys.ts";
import { rateLimits } from "./rate-limits.ts";
import { authenticateKey, sessionOfClaims, TOKEN_OPTIONS, tokenKey } from "./sessions.ts";

/**
 * Requires a valid bearer token, and puts its session into `ctx.state`. The user is read from the database for every
 * request, so that revoking or deleting an account takes effect at once.
 */
export function requireUser(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
): AppMiddleware {
  const secret = tokenKey(deps.settings);
  const verifyToken = koaJwt({
    ...TOKEN_OPTIONS,
    algorithms: [...TOKEN_OPTIONS.algorithms],
    secret: deps.settings.JWT_SECRET,
    key: "claims",
  });
  return (ctx, next) => {
    // `admitKeys` has authenticated it.
    if (ctx.state.session?.key) return next();
    // koa-jwt prefers this key. Its `secret` option takes no ready key and would parse the text for every request.
    ctx.state.secret = secret;
    return verifyToken(ctx, async () => {
      const session = await sessionOfClaims(deps, ctx.state.claims, ctx.state.origin);
      if (!isOpenForEnrolment(matchedRoute(ctx))) assertEnrolled(deps.settings, session.user);
      ctx.state.session = session;
      await next();
    });
  };
}

/**
 * Authenticates API keys, on public routes too: what a key may do does not depend on whether it is needed. Their calls wait
 * for their turn once the key is proven. Routes without the database do not look at keys.
 */
export function admitKeys(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  calls: KeyCallQueue,
): (route: Route) => AppMiddleware[] {
  const limits = rateLimits(deps, [API_KEY_LIMIT]);
  const knownKeys = new KnownApiKeys(deps);
  return (route) => {
    if (route.usesDatabase === false) return [];
    const admit: AppMiddleware = async (ctx, next) => {
      const key = apiKeyOf(ctx.get("Authorization"));
      if (key === undefined) return next();
      const userId = await knownKeys.prove(key, ctx.ip);
      await calls.run(userId, async () => {
        // It may have ended while the call waited.
        ctx.state.session = await authenticateKey(deps, key, ctx.state.origin);
        await next();
      });
    };
    const check: AppMiddleware = async (ctx, next) => {
      const { session } = ctx.state;
      if (session) {
        assertScope(session, route);
        if (!isOpenForEnrolment(route.path)) assertEnrolled(deps.settings, session.user);
      }
      await next();
    };
    return [admit, ...limits.map(ofKeys), check];
  };
}

/** For calls with API keys only. */
const ofKeys =
  (middleware: AppMiddleware): AppMiddleware =>
  (ctx, next) =>
    ctx.state.session?.key ? middleware(ctx, next) : next();

export function assertEnrolled(
  settings: Pick<Settings, "NODE_ENV">,
  user: Pick<UserRecord, "role" | "twoFactor">,
): void {
  if (!mustEnrol(settings, user)) return;
  const detail = "Turn on the second factor of your account first.";
  throw new AppError("two-factor-enrolment-required", detail);
}

/** Whether an administrator who must turn on the second factor may use a route. */
export const isOpenForEnrolment = (route: string): boolean => /^\/(logout|me(\/.*)?)$/.test(route);

export const requireApproved: AppMiddleware = (ctx, next) => {
  assertApproved(sessionOf(ctx).user);
  return next();
};

/** Requires an administrator. Runs after `requireUser`. */
export const requireAdmin: AppMiddleware = (ctx, next) => {
  assertAdmin(sessionOf(ctx).user);
  return next();
};

export function assertApproved(user: Pick<UserRecord, "approved" | "subscription">): void {
  if (user.approved) return;
  const detail = user.subscription
    ? "Your subscription has ended. Renew it to continue."
    : "Your account is waiting for approval.";
  throw new AppError("not-approved", detail);
}

export function assertAdmin(user: Pick<UserRecord, "role">): void {
  if (user.role !== "admin") {
    throw new AppError("not-admin", "Only administrators can do this.");
  }
}

/** Keeps at least one administrator. */
export function assertNotOwnAccount(
  admin: Pick<UserRecord, "_id">,
  user: Pick<UserRecord, "_id">,
): void {
  if (user._id.equals(admin._id)) {
    throw new AppError("own-account", "You cannot do this to your own account.");
  }
}
