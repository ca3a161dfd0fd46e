import { openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { createServices, startWorker } from "./start-worker.ts";

await runService("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const worker = await startWorker({
    settings,
    database,
    logger,
    services: createServices(settings, logger),
  });
  return {
    logger,
    ready: { concurrency: settings.WORKER_CONCURRENCY },
    async stop() {
      await worker.stop();
      await database.close();
    },
  };
});
