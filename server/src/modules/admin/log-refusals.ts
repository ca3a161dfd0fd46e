import type { NewSecurityLogEntry } from "@shared/outbox/security-log.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppContext, AppMiddleware } from "../../http/context.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findByName } from "../accounts/log-in.ts";
import { addLimitedLogEntry } from "./security-log.ts";

/** Entries per hour with the same type, user and details. */
const MAX_ENTRIES_OF_USER = 20;
const MAX_ENTRIES_WITHOUT_USER = 100;

/**
 * Records failed sign-ins and refused access. In the background, so that the time of a response does not tell whether a
 * username exists.
 */
export function logRefusals(
  deps: Pick<ServerDeps, "background" | "database" | "now">,
): AppMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof AppError && isRecorded(error)) {
        deps.background.run("logging a refusal", async () => {
          const entry = await entryOf(deps, ctx, error);
          const max = entry.user === null ? MAX_ENTRIES_WITHOUT_USER : MAX_ENTRIES_OF_USER;
          await addLimitedLogEntry({ ...deps, origin: ctx.state.origin }, max, entry);
        });
      }
      throw error;
    }
  };
}

const RECORDED_CODES: readonly AppError["code"][] = [
  ...(["invalid-credentials", "two-factor-required", "wrong-password"] as const),
  ...(["not-admin", "foreign-origin", "file-not-allowed"] as const),
];
const isRecorded = ({ code }: AppError): boolean => RECORDED_CODES.includes(code);

const nameSchema = z.object({ username: z.string() });
const reasonSchema = z.string().catch("invalid-password");
const routeSchema = z.object({ _matchedRoute: z.string().default("none") });

/** The route rather than the path, because the number of paths is unlimited. */
async function entryOf(
  { database }: Pick<ServerDeps, "database">,
  ctx: AppContext,
  { code, cause }: AppError,
): Promise<NewSecurityLogEntry> {
  if (code === "invalid-credentials" || code === "two-factor-required") {
    const name = nameSchema.safeParse(ctx.request.body).data?.username ?? "";
    const user = await findByName({ database }, name);
    // A name that nobody has may be a password that was typed into the wrong field.
    const username = user?.username ?? null;
    const whose = { user: username, actor: null };
    if (code === "two-factor-required") return { type: "sign-in:code-required", ...whose };
    const reason = user ? reasonSchema.parse(cause) : "unknown-user";
    return { type: "sign-in:failed", ...whose, details: { reason } };
  }
  const username = ctx.state.session?.user.username ?? null;
  const details = { route: `${ctx.method} ${routeSchema.parse(ctx)._matchedRoute}` };
  if (code === "wrong-password")
    return { type: "reauthentication:failed", user: username, details };
  return { type: "access:refused", user: username, details: { ...details, reason: code } };
}
