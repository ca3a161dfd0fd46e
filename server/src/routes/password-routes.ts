import Router from "@koa/router";
import {
  changePasswordRequestSchema,
  forgotPasswordRequestSchema,
  resetPasswordRequestSchema,
  verifyEmailRequestSchema,
} from "@shared/contract/account.ts";
import type { ActionDone } from "@shared/contract/admin.ts";
import { resetLinkSentText } from "@shared/contract/texts.ts";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { changePassword } from "../commands/change-password.ts";
import { forgotPassword } from "../commands/forgot-password.ts";
import { resendVerification } from "../commands/resend-verification.ts";
import { resetPassword } from "../commands/reset-password.ts";
import { verifyEmail } from "../commands/verify-email.ts";
import { requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { rateLimits } from "../middleware/rate-limit-rules.ts";
import type { ServerDeps } from "../server-deps.ts";

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
    ctx.body = done(resetLinkSentText(request.email));
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
