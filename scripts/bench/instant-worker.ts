import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { startWorker } from "../../worker/src/start-worker.ts";
import { instantServices } from "./lib/instant-services.ts";

/** How long an analysis takes, in ms; nothing unless told. */
const analysisMs = Number(process.env.BENCH_ANALYSIS_MS ?? 0);

const { market, analyst } = instantServices;
const services = {
  market,
  analyst: {
    ...analyst,
    advise: async (...asked: Parameters<typeof analyst.advise>) => {
      if (analysisMs > 0) await delay(analysisMs);
      return analyst.advise(...asked);
    },
  },
};

await runService("worker", async (settings, uri) => {
  const logger = createLogger({ part: "worker", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
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
