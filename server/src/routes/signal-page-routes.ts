import Router from "@koa/router";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { getSignalProgress } from "../commands/get-signal-progress.ts";
import { readSharedSignal, shareSignal, unshareSignal } from "../commands/share-signal.ts";
import { requireApproved, requireUser } from "../middleware/authenticate.ts";
import type { ServerDeps } from "../server-deps.ts";

/** What became of one signal, and showing it to others. */
export function createSignalPageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const approved = [requireUser(deps), requireApproved()];

  router.get("/signals/:id/since", ...approved, async (ctx) => {
    ctx.body = await getSignalProgress(deps, sessionOf(ctx).user, ctx.params.id);
  });

  router.post("/signals/:id/share", ...approved, async (ctx) => {
    ctx.status = 201;
    ctx.body = await shareSignal(deps, sessionOf(ctx).user, ctx.params.id);
  });

  router.delete("/signals/:id/share", ...approved, async (ctx) => {
    await unshareSignal(deps, sessionOf(ctx).user, ctx.params.id);
    ctx.body = { detail: "The link to this signal does not work any more." };
  });

  router.get("/shared/:token", async (ctx) => {
    ctx.set("X-Robots-Tag", "noindex");
    ctx.body = await readSharedSignal(deps, ctx.params.token ?? "");
  });

  return router;
}
