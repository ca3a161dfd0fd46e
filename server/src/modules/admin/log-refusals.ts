import { loginRequestSchema } from "@shared/contract/authentication.ts";
import type { NewSecurityLogEntry } from "@shared/outbox/security-log.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type AppContext, type AppMiddleware, matchedRoute } from "../../http/context.ts";
import { clientNetwork, hashOf } from "../../http/rate-limits.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findByName } from "../accounts/log-in.ts";
import { addLimitedLogEntry } from "./security-log.ts";

/** Entries per hour with the same type, user and details. */
const MAX_ENTRIES_OF_USER = 20;
const MAX_ENTRIES_WITHOUT_USER = 100;

/** A client that exceeded a limit is recorded once in this time for each route. */
const LIMIT_INTERVAL_MS = 3_600_000;
const MAX_REMEMBERED_CLIENTS = 10_000;

/**
 * Records failed sign-ins, refused access and exceeded limits. In the background, so that the time of a response does not reveal whether a
 * username exists.
 */
export function logRefusals(deps: ServerDeps): AppMiddleware {
  const isRepeated = rememberClients();
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof AppError && isRecorded(error) && !isRepeated(ctx, error.code)) {
        deps.background.run("logging a refusal", async () => {
          const entry = await entryOf(deps, ctx, error);
          const max = entry.user === null ? MAX_ENTRIES_WITHOUT_USER : MAX_ENTRIES_OF_USER;
          await addLimitedLogEntry(deps, ctx.state.origin, entry, max);
        });
      }
      throw error;
    }
  };
}

const RECORDED_CODES: readonly AppError["code"][] = [
  ...(["invalid-credentials", "two-factor-required", "wrong-password"] as const),
  ...(["not-admin", "foreign-origin", "file-not-allowed", "rate-limited", "key-scope"] as const),
];
const isRecorded = ({ code }: AppError): boolean => RECORDED_CODES.includes(code);

/** A flood of requests is refused without reading the database, so recording it must not read it for each. */
function rememberClients(): (ctx: AppContext, code: AppError["code"]) => boolean {
  const clients = new LRUCache<string, true>({
    max: MAX_REMEMBERED_CLIENTS,
    ttl: LIMIT_INTERVAL_MS,
  });
  return (ctx, code) => {
    if (code !== "rate-limited") return false;
    const user = sessionUser(ctx);
    const client = user === null ? [clientNetwork(ctx.ip), signInName(ctx)] : [user];
    const key = hashOf([routeOf(ctx), ...client]);
    const isKnown = clients.has(key);
    if (!isKnown) clients.set(key, true);
    return isKnown;
  };
}

const bodySchema = loginRequestSchema.pick({ username: true }).catch({ username: "" });
const reasonSchema = z.string().catch("invalid-password");

/** The route rather than the path, because the number of paths is unlimited. */
const routeOf = (ctx: AppContext): string => `${ctx.method} ${matchedRoute(ctx)}`;
const isSignIn = (ctx: AppContext): boolean => routeOf(ctx) === "POST /login";
const signInName = (ctx: AppContext): string =>
  isSignIn(ctx) ? bodySchema.parse(ctx.request.body).username.toLowerCase() : "";
const sessionUser = (ctx: AppContext): string | null => ctx.state.session?.user.username ?? null;

async function entryOf(
  deps: ServerDeps,
  ctx: AppContext,
  error: AppError,
): Promise<NewSecurityLogEntry> {
  const { code } = error;
  const key = ctx.state.session?.key?.prefix;
  const details = { route: routeOf(ctx), ...(key !== undefined && { key }) };
  const user = sessionUser(ctx);
  if (user === null && isSignIn(ctx)) return entryOfSignIn(deps, ctx, error);
  if (code === "rate-limited") return { type: "limit:exceeded", user, details };
  if (code === "wrong-password") return { type: "reauthentication:failed", user, details };
  return { type: "access:refused", user, details: { ...details, reason: code } };
}

async function entryOfSignIn(
  deps: ServerDeps,
  ctx: AppContext,
  { code, cause }: AppError,
): Promise<NewSecurityLogEntry> {
  const found = await findByName(deps, signInName(ctx));
  // A name that no user has may be a password that was typed into the wrong field.
  const whose = { user: found?.username ?? null, actor: null };
  if (code === "rate-limited") {
    return { type: "limit:exceeded", ...whose, details: { route: routeOf(ctx) } };
  }
  if (code === "two-factor-required") return { type: "sign-in:code-required", ...whose };
  const reason = found ? reasonSchema.parse(cause) : "unknown-user";
  return { type: "sign-in:failed", ...whose, details: { reason } };
}
