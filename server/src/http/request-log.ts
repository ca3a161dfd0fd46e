import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "@shared/runtime/logger.ts";
import { z } from "zod";
import type { AppMiddleware } from "./context.ts";
import type { ServerMetrics } from "./server-metrics.ts";

const SANE_REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Sets the request id: the caller's `X-Request-Id` if it is valid, otherwise a random one. */
export function requestId(logger: Logger): AppMiddleware {
  return (ctx, next) => {
    const given = ctx.get("X-Request-Id");
    const id = SANE_REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.requestId = id;
    ctx.state.log = logger.child({ requestId: id });
    ctx.set("X-Request-Id", id);
    return next();
  };
}

/** Logs one line per request, without its query, headers or body. */
export const requestLog: AppMiddleware = async (ctx, next) => {
  const startedAt = performance.now();
  try {
    await next();
  } finally {
    ctx.state.log.info(
      {
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        durationMs: Math.round(performance.now() - startedAt),
        userId: ctx.state.session?.user._id.toString(),
      },
      "request",
    );
  }
};

/** Set by the router. Unknown paths have no route. */
const routedSchema = z.object({ _matchedRoute: z.string().default("none") });

/** Counts requests by route, because the number of paths is unlimited. */
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
