import { openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { runPart } from "@shared/node/run-part.ts";
import { startServer } from "./start-server.ts";

await runPart("server", async (settings, uri) => {
  const logger = createLogger({ part: "server", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  const server = await startServer({ settings, database, logger });
  logger.info({ port: server.port }, "server ready");
  logger.flush();
  return {
    logger,
    async stop() {
      await server.stop();
      await database.close();
    },
  };
});
