import Router from "@koa/router";
import type { Status } from "@shared/contract/status.ts";
import { productVersion } from "@shared/node/settings.ts";
import type { AppRouter, AppState } from "../app-context.ts";
import { describeSources } from "../commands/describe-sources.ts";
import type { ServerDeps } from "../server-deps.ts";

/** What the product works with at the moment; public. */
export function createStatusRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const version = productVersion();

  router.get("/status", async (ctx) => {
    ctx.body = { ...(await describeSources(deps)), version } satisfies Status;
  });

  return router;
}
