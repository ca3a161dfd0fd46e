import Router from "@koa/router";
import type { Status } from "@shared/contract/status.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import type { AppRouter, AppState } from "../../http/context.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** What the product works with at the moment; public. */
export function createStatusRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const version = productVersion();

  router.get("/status", async (ctx) => {
    ctx.body = { ...(await getSignalSources(deps)), version } satisfies Status;
  });

  return router;
}

type SignalSources = Pick<Status, "market_data" | "analyst">;
type StatusDeps = Pick<ServerDeps, "database" | "settings" | "now">;

/**
 * What a signal asked for now would be made from, as the living workers say. Where they differ, demo data and
 * the rule-based analyst win: they are never used in silence.
 */
async function getSignalSources(deps: StatusDeps): Promise<SignalSources> {
  const workers = await findActiveWorkers(deps.database);
  if (workers.length === 0) return expectedSources(deps.settings);
  return {
    market_data: workers.some((worker) => worker.marketData === "replay") ? "replay" : "live",
    analyst: workers.some((worker) => worker.analyst === "rules") ? "rules" : "openai",
  };
}

/** With no worker alive, what one would start with; whether `auto` reaches a provider is not known, so: demo data. */
function expectedSources(settings: StatusDeps["settings"]): SignalSources {
  return {
    market_data: settings.MARKET_DATA === "live" ? "live" : "replay",
    analyst: settings.OPENAI_API_KEY ? "openai" : "rules",
  };
}
