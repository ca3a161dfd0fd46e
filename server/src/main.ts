import { openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { migrate } from "@shared/node/migrations/migrate.ts";
import { MIGRATIONS } from "@shared/node/migrations/migrations.ts";
import { runPart } from "@shared/node/run-part.ts";
import { startServer } from "./start-server.ts";

await runPart("server", async (settings, uri) => {
  const logger = createLogger({ part: "server", level: settings.LOG_LEVEL });
  const database = await openDatabase({ uri });
  await migrate({ db: database.connection.getClient().db(), migrations: MIGRATIONS, logger });
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
