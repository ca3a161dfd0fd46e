import { performance } from "node:perf_hooks";
import type { AppMiddleware } from "../app-context.ts";

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
