import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import cors from "@koa/cors";
import type { ErrorBody } from "@shared/contract/errors.ts";
import type { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { SECURITY_HEADERS } from "@shared/runtime/security-headers.ts";
import type Koa from "koa";
import type { AppMiddleware, AppState } from "./context.ts";
import { lateRequest, malformedRequest } from "./errors.ts";

/** Bodies without files have a shorter time of their own. */
const TIMEOUTS_MS = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 1_000,
};

/** The rest of a request that is answered may come until this time after its headers, and this time after the answer. */
const UNREAD_MS = { afterHeaders: 10_000, afterAnswer: 1_000 };

/** The HTTP server of `app`, not listening yet. Invalid HTTP never reaches the application and is answered here. */
export function createHttpServer(app: Koa<AppState>, logger: Logger): Server {
  const handle = app.callback();
  const answering = new WeakMap<Duplex, ServerResponse>();
  const http = createServer(
    { ...TIMEOUTS_MS, ServerResponse: ApiResponse },
    (request, response) => {
      answering.set(request.socket, response);
      return handle(request, response);
    },
  );
  // Unknown expectations may be ignored (RFC 9110 §10.1.1).
  http.on("checkExpectation", handle);
  http.on("clientError", (error, socket) => {
    const answer = answering.get(socket);
    const isDone = answer?.writableFinished && answer.req.complete;
    if (!socket.writable || (answer?.headersSent && !isDone)) return socket.destroy();
    const requestId = randomUUID();
    const code = "code" in error ? error.code : undefined;
    logger.info({ requestId, code }, "request could not be read");
    const failure = code === "ERR_HTTP_REQUEST_TIMEOUT" ? lateRequest() : malformedRequest();
    socket.end(rawRefusal(failure, requestId));
    return setTimeout(() => socket.destroy(), UNREAD_MS.afterAnswer).unref();
  });
  return http;
}

function rawRefusal({ status, code, detail }: AppError, requestId: string): string {
  const body = JSON.stringify({ detail, code, request_id: requestId } satisfies ErrorBody);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...[...API_HEADERS].map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${requestId}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

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

/** Has the headers from the start and follows its request, so that responses of Socket.IO do so too. */
class ApiResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.setHeaders(API_HEADERS);
    const startedMs = performance.now();
    this.once("finish", () => {
      if (!this.req.complete) closeUnlessReceived(this, startedMs);
    });
  }
}

/** A client that is sending a file reads the answer better if it is not cut off at once. */
function closeUnlessReceived(response: ServerResponse, startedMs: number): void {
  const leftMs = startedMs + UNREAD_MS.afterHeaders - performance.now();
  const { req: request, shouldKeepAlive } = response;
  const { socket } = request;
  // With `Connection: close`, Node.js would do it once the answer is sent.
  if (!shouldKeepAlive) socket.destroySoon = () => socket.end();
  const close = () => {
    if (!request.complete || !shouldKeepAlive) socket.destroy();
  };
  setTimeout(close, Math.max(leftMs, UNREAD_MS.afterAnswer)).unref();
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
