import { openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { runPart } from "@shared/node/run-part.ts";
import { createServices, startWorker } from "./start-worker.ts";

await runPart("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const worker = await startWorker({
    settings,
    database,
    logger,
    services: createServices(settings, logger),
  });
  logger.info({ concurrency: settings.WORKER_CONCURRENCY }, "worker ready");
  logger.flush();
  return {
    logger,
    async stop() {
      await worker.stop();
      await database.close();
    },
  };
});
