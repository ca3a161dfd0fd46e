import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for an outside service, listening on this machine. */
export interface HttpFake {
  url: string;
  close(): Promise<void>;
}

export type FakeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves `handler` on a free port; what it throws becomes a 500 that names the fault of the
 * stand-in.
 */
export async function startHttpFake(handler: FakeHandler): Promise<HttpFake> {
  const server = createServer((request, response) => {
    handler(request, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(`stand-in failed: ${error}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** The whole body of a request as text. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
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

/** Sends headers and the beginning of a body that never ends. */
export function stallBody(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).write('{"');
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === "string") throw new Error("no port was opened");
  return address.port;
}
