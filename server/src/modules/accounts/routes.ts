import Router from "@koa/router";
import {
  changePasswordRequestSchema,
  forgotPasswordRequestSchema,
  loginRequestSchema,
  registerRequestSchema,
  resetPasswordRequestSchema,
  type Session,
  verifyEmailRequestSchema,
} from "@shared/contract/account.ts";
import type { ActionDone } from "@shared/contract/admin.ts";
import { resetLinkSentMessage } from "@shared/contract/messages.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { requireUser } from "../../http/access.ts";
import { type AppRouter, type AppState, sessionOf } from "../../http/context.ts";
import { rateLimits } from "../../http/rate-limits.ts";
import { parseInput } from "../../http/request-input.ts";
import { issueToken } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { getCurrentUser } from "./get-current-user.ts";
import { logIn } from "./log-in.ts";
import { changePassword, forgotPassword, resetPassword } from "./passwords.ts";
import { registerUser } from "./register.ts";
import { resendVerification, verifyEmail } from "./verify-email.ts";

/** Registration, login and the user's own account. */
export function createAccountRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.post("/register", ...rateLimits(deps, "register"), async (ctx) => {
    const user = await registerUser(deps, parseInput(registerRequestSchema, ctx.request.body));
    ctx.status = 201;
    ctx.body = presentSession(user, issueToken({ ...deps, user }));
  });

  router.post("/login", ...rateLimits(deps, "login"), async (ctx) => {
    const user = await logIn(deps, parseInput(loginRequestSchema, ctx.request.body));
    ctx.body = presentSession(user, issueToken({ ...deps, user }));
  });

  router.get("/me", requireUser(deps), async (ctx) => {
    ctx.body = await getCurrentUser(deps, sessionOf(ctx).user._id);
  });

  return router;
}

/** Passwords, and addresses to be confirmed: what is done by mail, and what is done by whoever is logged in. */
export function createPasswordRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  addMailRoutes(router, deps);
  addOwnRoutes(router, deps);
  return router;
}

function addMailRoutes(router: AppRouter, deps: ServerDeps): void {
  const limits = rateLimits(deps, "useMailToken");

  router.post("/verify-email", ...limits, async (ctx) => {
    await verifyEmail(deps, parseInput(verifyEmailRequestSchema, ctx.request.body));
    ctx.body = done("Your e-mail address is confirmed.");
  });

  router.post("/forgot-password", ...rateLimits(deps, "forgotPassword"), async (ctx) => {
    const request = parseInput(forgotPasswordRequestSchema, ctx.request.body);
    await forgotPassword(deps, request);
    ctx.body = done(resetLinkSentMessage(request.email));
  });

  router.post("/reset-password", ...limits, async (ctx) => {
    await resetPassword(deps, parseInput(resetPasswordRequestSchema, ctx.request.body));
    ctx.body = done("Your password has been changed. Please log in with the new one.");
  });
}

function addOwnRoutes(router: AppRouter, deps: ServerDeps): void {
  const signedIn = requireUser(deps);

  router.post("/change-password", signedIn, ...rateLimits(deps, "changePassword"), async (ctx) => {
    const request = parseInput(changePasswordRequestSchema, ctx.request.body);
    await changePassword(deps, sessionOf(ctx), request);
    ctx.body = done("Your password has been changed.");
  });

  router.post(
    "/resend-verification",
    signedIn,
    ...rateLimits(deps, "resendVerification"),
    async (ctx) => {
      const { user } = sessionOf(ctx);
      const result = await resendVerification(deps, user);
      ctx.body = done(
        result === "sent"
          ? `A new verification link has been sent to ${user.email}.`
          : "Your e-mail address is confirmed already.",
      );
    },
  );
}

const done = (detail: string): ActionDone => ({ detail });

/** What somebody gets who has logged in or registered. */
function presentSession(user: UserRecord, token: string): Session {
  return { token, approved: user.approved, role: user.role, username: user.username };
}
