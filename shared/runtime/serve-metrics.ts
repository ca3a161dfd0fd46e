import { once } from "node:events";
import { createServer } from "node:http";
import type { Registry } from "prom-client";
import type { Logger } from "./logger.ts";

/** Serves `GET /metrics` and `GET /healthz` on a port that is not public. */
export async function serveMetrics(options: {
  registry: Registry;
  port: number;
  logger: Logger;
}): Promise<{ port: number; close: () => void }> {
  const { registry, logger } = options;
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.method !== "GET") return response.writeHead(405, { Allow: "GET" }).end();
      if (request.url === "/healthz") return response.end("ok");
      if (request.url !== "/metrics") return response.writeHead(404).end();
      const metrics = await registry.metrics();
      return response.setHeader("Content-Type", registry.contentType).end(metrics);
    };
    answer().catch((error: unknown) => {
      logger.error({ err: error }, "could not serve metrics");
      response.writeHead(500).end();
    });
  });
  server.listen(options.port);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : options.port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
