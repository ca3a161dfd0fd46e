import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "@shared/runtime/logger.ts";
import { type AppContext, type AppMiddleware, matchedRoute } from "./context.ts";
import type { ServerMetrics } from "./server-metrics.ts";

const SANE_REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

const MAX_DEVICE_LENGTH = 256;

/** Sets the request id: the caller's `X-Request-Id` if it is valid, otherwise a random one. */
export function requestId(logger: Logger): AppMiddleware {
  return (ctx, next) => {
    const sent = ctx.get("X-Request-Id");
    const id = SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    ctx.state.requestId = id;
    ctx.state.startedMs = performance.now();
    ctx.state.log = logger.child({ requestId: id });
    ctx.set("X-Request-Id", id);
    // Control characters could change what a terminal shows.
    const device = ctx
      .get("User-Agent")
      .slice(0, MAX_DEVICE_LENGTH)
      .replace(/\p{Cc}/gu, "\u{fffd}");
    const address = ctx.ip.replace(/^::ffff:/, "");
    ctx.state.origin = { requestId: id, address, device };
    return next();
  };
}

/** Parameters of paths that give access by themselves. */
const SECRET_PARAMETER = ":token";

/** The path, without secrets. Of a path without a route only the first part is known to be none. */
function loggedPath(ctx: AppContext): string {
  const route = matchedRoute(ctx).split("/");
  const parts = ctx.path.split("/");
  const isKnown = route.length > 1;
  const shown = parts.map((part, index) => {
    const isSecret = isKnown ? route[index] === SECRET_PARAMETER : index > 1 && part !== "";
    return isSecret ? "[secret]" : part;
  });
  return shown.join("/");
}

/**
 * Logs one line per request, without its query, headers or body, and measures it by route, because the number of paths is
 * unlimited.
 */
export function requestLog(metrics: Pick<ServerMetrics, "observeRequest">): AppMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { method, status } = ctx;
      const path = loggedPath(ctx);
      const durationMs = performance.now() - startedAt;
      const userId = ctx.state.session?.user._id.toString();
      const line = { method, path, status, durationMs: Math.round(durationMs), userId };
      ctx.state.log.info(line, "request");
      const route = matchedRoute(ctx);
      metrics.observeRequest({ method, route, status, seconds: durationMs / 1_000 });
    }
  };
}
