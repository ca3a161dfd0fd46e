import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import { loadSettings, type Settings } from "@shared/node/settings.ts";
import { startServer } from "../start-server.ts";

/** A whole server with queue and push on a free port, for tests. */
export interface LiveServer {
  url: string;
  database: Database;
  settings: Settings;
  stop(): Promise<void>;
}

/** Settings of a part that a test starts as a process of its own beside the server. */
export const TEST_SECRETS = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};

/**
 * Starts the server against the database at `databaseUri`.
 * @param options.env settings that differ from the defaults
 */
export async function startLiveServer(options: {
  databaseUri: string;
  env?: Record<string, string>;
}): Promise<LiveServer> {
  const database = await openDatabase({ uri: options.databaseUri });
  const settings = { ...loadSettings({ ...TEST_SECRETS, ...options.env }), API_PORT: 0 };
  const logger = createLogger({ part: "server", level: "silent" });
  const server = await startServer({ settings, database, logger });
  return {
    url: `http://localhost:${server.port}`,
    database,
    settings,
    async stop() {
      await server.stop();
      await database.close();
    },
  };
}
