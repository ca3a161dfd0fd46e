import { type IncomingMessage, ServerResponse } from "node:http";
import cors from "@koa/cors";
import { SECURITY_HEADERS } from "@shared/runtime/security-headers.ts";
import type { AppMiddleware } from "./context.ts";

/** Ends the content policy of every response. `default-src` does not cover these. */
export const NO_FRAMES_OR_FORMS = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of every response of the API: no scripts, frames or caching. Some routes replace some of them. */
export const API_HEADERS = new Map(
  Object.entries({
    ...SECURITY_HEADERS,
    "Content-Security-Policy": `default-src 'none'; ${NO_FRAMES_OR_FORMS}`,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  }),
);

/** Has the headers from the start, so that responses of Socket.IO have them too. */
export class ApiResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.setHeaders(API_HEADERS);
  }
}

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Allows cross-origin calls from pages of the `allowed` origins only. */
export function crossOrigin(allowed: readonly string[]): AppMiddleware {
  const origins = new Set(allowed.map((address) => new URL(address).origin));
  return cors({
    origin: (ctx) => (origins.has(ctx.get("Origin")) ? ctx.get("Origin") : ""),
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Prefer", "Idempotency-Key", "X-Request-Id"],
    exposeHeaders: ["X-Request-Id", "Location", "Retry-After"],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  });
}
