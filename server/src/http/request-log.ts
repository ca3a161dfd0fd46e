import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "@shared/runtime/logger.ts";
import { z } from "zod";
import type { AppMiddleware } from "./context.ts";
import type { ServerMetrics } from "./server-metrics.ts";

const SANE_REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Names each request, by the caller's own `X-Request-Id` if that is sane, in the answer and in every log line. */
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

/** Writes one line for each request once it is answered; never its query, headers or body. */
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
