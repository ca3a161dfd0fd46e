import { once } from "node:events";
import { createServer } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Logger } from "./logger.ts";
import { readDotEnv, SettingsError, type WorkerSettings } from "./settings.ts";

interface RunningService {
  logger: Logger;
  /** What the line that says "ready" contains. */
  ready: Record<string, number>;
  stop(): Promise<void>;
}

/**
 * Runs a service as a process: reads settings, starts it, and stops it on SIGTERM or SIGINT. If it cannot start, the
 * process exits with one line.
 */
export async function runService<Settings extends WorkerSettings>(
  name: string,
  load: () => Settings,
  start: (settings: Settings, mongodbUri: string) => Promise<RunningService>,
): Promise<void> {
  try {
    readDotEnv();
    const settings = load();
    const uri = settings.MONGODB_URI;
    if (!uri) {
      throw new SettingsError(
        "MONGODB_URI: is required to run one service alone; `npm start` brings a database of its own",
      );
    }
    const service = await start(settings, uri);
    // A reader of "ready" can send a signal at once.
    stopOnSignals(service);
    service.logger.info(service.ready, `${name} ready`);
    service.logger.flush();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name} could not start: ${message.split("\n")[0]}\n`);
    process.exit(1);
  }
}

function stopOnSignals(service: RunningService): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    service.logger.info({ signal }, "stopping");
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        service.logger.error({ err: error }, "did not stop in order");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

export function createRegistry(service: "server" | "worker"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

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
