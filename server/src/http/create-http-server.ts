import { randomUUID } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorBody } from "@shared/contract/errors.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type Koa from "koa";
import type { AppState } from "./context.ts";
import { malformedRequest } from "./errors.ts";
import { API_HEADERS, ApiResponse } from "./security-headers.ts";

/** The HTTP server of `app`, not listening yet. Invalid HTTP never reaches the application and is answered here. */
export function createHttpServer(app: Koa<AppState>, logger: Logger): Server {
  const handle = app.callback();
  const answering = new WeakMap<Duplex, ServerResponse>();
  const http = createServer({ ServerResponse: ApiResponse }, (request, response) => {
    answering.set(request.socket, response);
    return handle(request, response);
  });
  // Unknown expectations may be ignored (RFC 9110 §10.1.1).
  http.on("checkExpectation", handle);
  http.on("clientError", (error, socket) => {
    const answer = answering.get(socket);
    const isHalfAnswered = answer?.headersSent && !answer.writableFinished;
    if (!socket.writable || isHalfAnswered) return socket.destroy();
    const requestId = randomUUID();
    const code = "code" in error ? error.code : undefined;
    logger.info({ requestId, code }, "request could not be read");
    return socket.end(rawRefusal(requestId));
  });
  return http;
}

function rawRefusal(requestId: string): string {
  const { status, code, detail } = malformedRequest();
  const body = JSON.stringify({ detail, code, request_id: requestId } satisfies ErrorBody);
  return [
    `HTTP/1.1 ${status} Bad Request`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...[...API_HEADERS].map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${requestId}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
