import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";

/** A fake of an external service, on this machine. */
export interface HttpFake {
  url: string;
  close(): Promise<void>;
}

export interface KeepAliveFake extends HttpFake {
  /** Closes connections that are kept for further requests, as services do after some seconds. */
  closeIdle(): void;
  /** Closes each connection after its answer from now on, so that every request comes on a new one. */
  keepNoConnections(): void;
}

export type FakeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves `handler` on a free port. An error that it throws becomes a 500.
 * @param onUpgrade gets requests for WebSockets, and closes them
 */
export async function startHttpFake(
  handler: FakeHandler,
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<KeepAliveFake> {
  const server = createServer((request, response) => {
    handler(request, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(`The fake failed: ${error}`);
    });
  });
  if (onUpgrade) server.on("upgrade", onUpgrade);
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    closeIdle: () => server.closeIdleConnections(),
    keepNoConnections: () => {
      server.maxRequestsPerSocket = 1;
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

export function readText(request: IncomingMessage): Promise<string> {
  return text(request);
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(typeof body === "string" ? body : JSON.stringify(body));
}

export function sendHtml(response: ServerResponse, status = 200): void {
  response
    .writeHead(status, { "content-type": "text/html" })
    .end("<!doctype html><html><body><h1>Just a moment...</h1></body></html>");
}

/** Sends headers and the start of a body that never ends. */
export function stallBody(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).write('{"');
}

export const HTTP_FAULTS = {
  down: (response: ServerResponse) => void response.destroy(),
  "stalled-headers": () => undefined,
  "stalled-body": stallBody,
  html: (response: ServerResponse) => sendHtml(response),
} as const;
export type HttpFault = keyof typeof HTTP_FAULTS;

/** Listens on a free port of this machine, or on the given one. */
export async function listenLocally(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("No port was opened.");
  return address.port;
}
