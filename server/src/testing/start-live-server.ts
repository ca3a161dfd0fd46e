import { openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { signTokenFor } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { startServer } from "../start-server.ts";

export type LiveServer = Awaited<ReturnType<typeof startLiveServer>>;

/** Settings of a service that a test starts beside the server. */
export const TEST_SECRETS = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};

/**
 * Starts a server with queue and push on a free port.
 * @param options.env settings that differ from the defaults
 */
export async function startLiveServer(options: {
  databaseUri: string;
  env?: Record<string, string>;
}) {
  const database = await openDatabase({ uri: options.databaseUri });
  const settings = { ...loadSettings({ ...TEST_SECRETS, ...options.env }), API_PORT: 0 };
  const logger = createLogger({ service: "server", level: "silent" });
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

export type LiveProduct = Awaited<ReturnType<typeof startLiveProduct>>;

/**
 * Starts servers in this process, workers as processes, and the fake exchange and AI that the workers call.
 * @param options.name database name, unique per test file
 */
export async function startLiveProduct(options: {
  name: string;
  servers?: number;
  workers?: number;
  serverEnv?: Record<string, string>;
  /** Settings that differ from those of a live product with one exchange. */
  workerEnv?: Record<string, string>;
}) {
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
  /** Including workers that a test has killed. */
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
  // The fake's candles of different lengths do not agree: at some minute, an entry would be missed.
  await database.jobs.updateOne({ name: "watch-entries" }, { disabled: true });

  return {
    ...{ database, settings, server: first, servers, workers, exchange, openai, startWorker },
    call: (
      user: UserRecord,
      path: string,
      { server = first, ...init }: RequestInit & { server?: LiveServer | undefined } = {},
    ) =>
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
