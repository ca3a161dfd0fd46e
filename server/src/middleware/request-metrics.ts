import { performance } from "node:perf_hooks";
import { z } from "zod";
import type { AppMiddleware } from "../app-context.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";

/** What the router leaves behind; an address that it does not know has no route. */
const routedSchema = z.object({ _matchedRoute: z.string().default("none") });

/** Counts each answered request under its route, never under its address: those are without number. */
export function requestMetrics(metrics: ServerMetrics): AppMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    metrics.observeRequest({
      method: ctx.method,
      route: routedSchema.parse(ctx)._matchedRoute,
      status: ctx.status,
      seconds: (performance.now() - startedAt) / 1_000,
    });
  };
}
