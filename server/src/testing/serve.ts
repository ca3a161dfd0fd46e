import { type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { createLogger, type Logger } from "@shared/runtime/logger.ts";
import { listenLocally } from "@shared/testing/fakes/fake-http.ts";
import Koa from "koa";
import type { AppMiddleware, AppState } from "../http/context.ts";
import { createHttpServer } from "../http/create-http-server.ts";

export interface Listening {
  url: string;
  close(): void;
}

export async function listen(app: Koa<AppState>, logger: Logger): Promise<Listening> {
  const http = createHttpServer(app, logger);
  const port = await listenLocally(http);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

export function serve(...middlewares: AppMiddleware[]): Promise<Listening> {
  const app = new Koa<AppState>();
  for (const middleware of middlewares) app.use(middleware);
  return listen(app, captureLog().logger);
}

export const answerOk: AppMiddleware = (ctx) => {
  ctx.body = "ok";
};

/** A logger at the lowest level, and the lines that it has written. */
export function captureLog(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = {
    write(line: string) {
      lines.push(line);
    },
  };
  return { logger: createLogger({ service: "server", level: "trace", destination }), lines };
}

export interface RawRequest {
  method?: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Sends a request unchanged, where `fetch` would correct or reject it. */
export function sendRaw(url: string, { body, ...options }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, ...options }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      text(answer).then((read) => resolve({ status, headers, body: read }), reject);
    })
      .on("error", reject)
      .end(body);
  });
}
