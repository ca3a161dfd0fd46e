import Router from "@koa/router";
import { loginRequestSchema, registerRequestSchema } from "@shared/contract/account.ts";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { describeMe } from "../commands/describe-me.ts";
import { logIn } from "../commands/log-in.ts";
import { registerUser } from "../commands/register-user.ts";
import { requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { rateLimits } from "../middleware/rate-limit-rules.ts";
import { presentSession } from "../presenters/present-session.ts";
import type { ServerDeps } from "../server-deps.ts";
import { issueToken } from "../sessions.ts";

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
    ctx.body = await describeMe(deps, sessionOf(ctx).user._id);
  });

  return router;
}
