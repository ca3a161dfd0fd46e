import cors from "@koa/cors";
import helmet from "koa-helmet";
import type { AppMiddleware } from "./context.ts";

const setHelmetHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/** Headers for an API without pages: no scripts, frames or caching. */
export const securityHeaders: AppMiddleware = (ctx, next) => {
  ctx.set("Cache-Control", "no-store");
  return setHelmetHeaders(ctx, next);
};

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Allows cross-origin calls from pages of the `allowed` origins only. */
export function crossOrigin(allowed: readonly string[]): AppMiddleware {
  const origins = new Set(allowed.map((address) => new URL(address).origin));
  return cors({
    origin: (ctx) => (origins.has(ctx.get("Origin")) ? ctx.get("Origin") : ""),
    allowMethods: ["GET", "HEAD", "POST", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Prefer", "Idempotency-Key", "X-Request-Id"],
    exposeHeaders: ["X-Request-Id", "Location", "Retry-After"],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  });
}
