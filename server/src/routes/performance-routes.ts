import Router from "@koa/router";
import {
  type Performance,
  type PerformanceQuery,
  performanceQuerySchema,
} from "@shared/contract/performance.ts";
import { readPerformance } from "@shared/node/performance/read-performance.ts";
import { LRUCache } from "lru-cache";
import type { AppRouter, AppState } from "../app-context.ts";
import { parseInput } from "../middleware/parse-input.ts";
import type { ServerDeps } from "../server-deps.ts";

/** Half of the time in which the workers measure anew. */
const CACHE_SECONDS = 30;

/** Answers kept at once; an answer is at most some tens of kilobytes. */
const MOST_ANSWERS = 200;

/**
 * How the signals turned out; public, and nobody can be told from it. However many ask at once, each choice of filters is
 * read once in half a minute.
 */
export function createPerformanceRoutes(deps: Pick<ServerDeps, "database" | "now">): AppRouter {
  const router = new Router<AppState>();

  const answers = new LRUCache<string, Performance, PerformanceQuery>({
    max: MOST_ANSWERS,
    ttl: CACHE_SECONDS * 1_000,
    fetchMethod: (_key, _stale, { context }) => readPerformance(deps, context),
  });

  router.get("/performance", async (ctx) => {
    const query = parseInput(performanceQuerySchema, ctx.query);
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    ctx.body = await answers.forceFetch(JSON.stringify(query), { context: query });
  });

  return router;
}
