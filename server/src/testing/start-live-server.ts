import { openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings, type Settings } from "@shared/runtime/settings.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { type ApiRequest, callApi } from "@shared/testing/call-api.ts";
import { signTokenFor } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { vi } from "vitest";
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

/** Starts servers in this process, workers as processes, and the fake exchange and AI that the workers call. */
export async function startLiveProduct(
  options: {
    servers?: number;
    workers?: number;
    serverEnv?: Record<string, string>;
    /** Settings that differ from those of a live product with one exchange. */
    workerEnv?: Record<string, string>;
  } = {},
) {
  const { servers: serverCount = 1, workers: workerCount = 1, workerEnv } = options;
  const env = { RATE_LIMIT: "off", ...options.serverEnv };
  const databaseUri = testDatabaseUri();
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
    const services = { exchangeUrl: exchange.url, openaiUrl: openai.baseUrl };
    const liveEnv = liveWorkerEnv(databaseUri, services);
    const worker = await spawnService("worker", { ...liveEnv, ...workerEnv });
    workers.push(worker);
    return worker;
  }
  await Promise.all(Array.from({ length: workerCount }, startWorker));
  // The fake's candles of different lengths do not agree: at some minute, an entry would be missed.
  await database.jobs.updateOne({ name: "watch-entries" }, { disabled: true });

  /** Kills a worker and frees what it has locked: how long others wait for that is shown by the tests of the worker. */
  async function crash(worker: SpawnedService): Promise<void> {
    await worker.kill();
    const locked = { lastModifiedBy: new RegExp(`:${worker.pid}:`), lockedAt: { $ne: null } };
    await database.jobs.updateMany(locked, { lockedAt: null });
  }

  return {
    database,
    settings,
    server: first,
    servers,
    workers,
    exchange,
    openai,
    startWorker,
    crash,
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

const liveWorkerEnv = (
  databaseUri: string,
  { exchangeUrl, openaiUrl }: { exchangeUrl: string; openaiUrl: string },
) => ({
  ...TEST_SECRETS,
  MONGODB_URI: databaseUri,
  MARKET_DATA: "live",
  EXCHANGES: "binance",
  EXCHANGE_URL: exchangeUrl,
  OPENAI_API_KEY: "sk-test",
  OPENAI_BASE_URL: openaiUrl,
});

/** Calls a server and opens sockets to it, as any user. */
export class ApiClient {
  readonly #url: string;
  readonly #settings: Pick<Settings, "JWT_SECRET">;
  readonly #sockets: PushClient[] = [];

  constructor(options: { url: string; settings: Pick<Settings, "JWT_SECRET"> }) {
    this.#url = options.url;
    this.#settings = options.settings;
  }

  /** Calls as `user`, or without a session. */
  async call(path: string, options: Omit<ApiRequest, "token"> & { user?: UserRecord } = {}) {
    const { user, ...request } = options;
    const token = user && signTokenFor(user, this.#settings);
    const answer = await callApi(this.#url + path, { ...request, ...(token && { token }) });
    return { status: answer.status, body: answer.body };
  }

  post(user: UserRecord, path: string, body?: unknown) {
    return this.call(path, { method: "POST", user, body });
  }

  /** Opens a socket of `user`, which receives all events from the first. It stays open until `close`. */
  async connect(user: UserRecord): Promise<PushClient> {
    const client = new PushClient({
      url: this.#url,
      token: signTokenFor(user, this.#settings),
      since: { user: 0, admins: 0 },
    });
    this.#sockets.push(client);
    await vi.waitUntil(() => client.socket.connected, PUSH_WAIT);
    return client;
  }

  close(): void {
    for (const client of this.#sockets.splice(0)) client.close();
  }
}
