import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import type { Settings } from "@shared/node/settings.ts";
import { signTokenFor } from "@shared/testing/factories.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { type StandInExchange, startStandInExchange } from "@shared/testing/stand-in-exchange.ts";
import { type StandInOpenAi, startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { type LiveServer, startLiveServer, TEST_SECRETS } from "./start-live-server.ts";

/** Servers in this process, workers as processes of their own, and the fake exchange and AI that the workers call. */
export interface LiveProduct {
  database: Database;
  settings: Settings;
  /** The first of the servers. */
  server: LiveServer;
  servers: readonly LiveServer[];
  /** Those that are running, and those that a test has killed. */
  workers: SpawnedPart[];
  exchange: StandInExchange;
  openai: StandInOpenAi;
  startWorker(): Promise<SpawnedPart>;
  /** Calls a server as a user. */
  call(
    user: UserRecord,
    path: string,
    init?: RequestInit & { server?: LiveServer | undefined },
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** @param options.name names the database; each test file needs its own */
export async function startLiveProduct(options: {
  name: string;
  servers?: number;
  workers?: number;
  serverEnv?: Record<string, string>;
  /** Settings of the workers that differ from those of a live product with one exchange. */
  workerEnv?: Record<string, string>;
}): Promise<LiveProduct> {
  const { name, servers: serverCount = 1, workers: workerCount = 1, workerEnv } = options;
  const env = { RATE_LIMIT: "off", ...options.serverEnv };
  const databaseUri = testDatabaseUri(name);
  const exchange = await startStandInExchange();
  const openai = await startStandInOpenAi();
  const first = await startLiveServer({ databaseUri, env });
  const others = Array.from({ length: serverCount - 1 }, () =>
    startLiveServer({ databaseUri, env }),
  );
  const servers = [first, ...(await Promise.all(others))];
  const workers: SpawnedPart[] = [];
  const { database, settings } = first;

  async function startWorker(): Promise<SpawnedPart> {
    const worker = await spawnPart("worker", {
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
