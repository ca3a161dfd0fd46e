import Router from "@koa/router";
import { MARKET_SNAPSHOT_ID } from "@shared/node/models/market-snapshot.ts";
import type { AppRouter, AppState } from "../app-context.ts";
import { presentMarkets } from "../presenters/present-markets.ts";
import type { ServerDeps } from "../server-deps.ts";

/** Half of the time in which the workers read the prices anew. */
const CACHE_SECONDS = 30;

/** What the product's symbols cost; public. */
export function createMarketRoutes({ database }: Pick<ServerDeps, "database">): AppRouter {
  const router = new Router<AppState>();

  router.get("/markets", async (ctx) => {
    const snapshot = await database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).lean();
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    ctx.body = presentMarkets(snapshot);
  });

  return router;
}
