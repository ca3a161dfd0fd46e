import { openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { runPart } from "@shared/node/run-part.ts";
import { startWorker } from "../../worker/src/start-worker.ts";
import { instantServices } from "./instant-services.ts";

await runPart("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const worker = await startWorker({ settings, database, logger, services: instantServices });
  logger.info("worker ready");
  return {
    logger,
    async stop() {
      await worker.stop();
      await database.close();
    },
  };
});
