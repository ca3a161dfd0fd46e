import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import type { Analyst } from "../../worker/src/analysis/analyst.ts";
import { startWorker } from "../../worker/src/start-worker.ts";
import { instantServices } from "./instant-services.ts";

const analysisMs = Number(process.env.BENCH_ANALYSIS_MS ?? 0);

const analyst: Analyst = {
  ...instantServices.analyst,
  async advise(...request) {
    if (analysisMs > 0) await delay(analysisMs);
    return instantServices.analyst.advise(...request);
  },
};

await runService("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const services = { ...instantServices, analyst };
  const worker = await startWorker({ settings, database, logger, services });
  logger.info("worker ready");
  logger.flush();
  return {
    logger,
    async stop() {
      await worker.stop();
      await database.close();
    },
  };
});
