import { openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { startServer } from "./start-server.ts";

await runService("server", loadSettings, async (settings, uri) => {
  const logger = createLogger({ service: "server", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri, logger });
  const server = await startServer({ settings, database, logger });
  return {
    logger,
    ready: { port: server.port },
    async stop() {
      await server.stop();
      await database.close();
    },
  };
});
