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
    // Whoever reads "ready" can send a signal at once.
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

/** A metrics registry with the default metrics of Node. */
export function createRegistry(service: "server" | "worker"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}
