import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings, type Settings } from "@shared/runtime/settings.ts";
import { signTokenFor } from "@shared/testing/factories.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { startServer } from "../start-server.ts";

/** A server with queue and push on a free port. */
export interface LiveServer {
  url: string;
  database: Database;
  settings: Settings;
  stop(): Promise<void>;
}

/** Settings of a service that a test starts beside the server. */
export const TEST_SECRETS = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};

/** @param options.env settings that differ from the defaults */
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

/** Servers in this process, workers as processes, and the fake exchange and AI that the workers call. */
export interface LiveProduct {
  database: Database;
  settings: Settings;
  server: LiveServer;
  servers: readonly LiveServer[];
  /** Including workers that a test has killed. */
  workers: SpawnedService[];
  exchange: FakeExchange;
  openai: FakeOpenAi;
  startWorker(): Promise<SpawnedService>;
  call(
    user: UserRecord,
    path: string,
    init?: RequestInit & { server?: LiveServer | undefined },
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** @param options.name database name, unique per test file */
export async function startLiveProduct(options: {
  name: string;
  servers?: number;
  workers?: number;
  serverEnv?: Record<string, string>;
  /** Settings that differ from those of a live product with one exchange. */
  workerEnv?: Record<string, string>;
}): Promise<LiveProduct> {
  const { name, servers: serverCount = 1, workers: workerCount = 1, workerEnv } = options;
  const env = { RATE_LIMIT: "off", ...options.serverEnv };
  const databaseUri = newDatabaseUri(name);
  const exchange = await startFakeExchange();
  const openai = await startFakeOpenAi();
  const first = await startLiveServer({ databaseUri, env });
  const others = Array.from({ length: serverCount - 1 }, () =>
    startLiveServer({ databaseUri, env }),
  );
  const servers = [first, ...(await Promise.all(others))];
  const workers: SpawnedService[] = [];
  const { database, settings } = first;

  async function startWorker(): Promise<SpawnedService> {
    const worker = await spawnService("worker", {
      ...TEST_SECRETS,
      MONGODB_URI: databaseUri,
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: openai.baseUrl,
      ...workerEnv,
    });
    workers.push(worker);
    return worker;
  }
  await Promise.all(Array.from({ length: workerCount }, startWorker));

  return {
    ...{ database, settings, server: first, servers, workers, exchange, openai, startWorker },
    call: (user, path, { server = first, ...init } = {}) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${signTokenFor(user, settings)}` },
      }),
    async stop() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await Promise.all(servers.map((server) => server.stop()));
      await Promise.all([exchange.close(), openai.close()]);
    },
  };
}
