import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash, verify } from "@node-rs/argon2";
import { openDatabase } from "@shared/database/database.ts";
import { ChannelSecrets } from "@shared/runtime/channel-secrets.ts";
import { selectMailer } from "@shared/runtime/mailer.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { QUICK_HASH } from "@shared/testing/factories.ts";
import { createApp } from "../app.ts";
import { createServerMetrics } from "../http/server-metrics.ts";
import { BackgroundTasks } from "../modules/accounts/background-tasks.ts";
import type { PasswordHashing } from "../modules/accounts/identity/builtin-identity.ts";
import { selectIdentity } from "../modules/accounts/identity/select-identity.ts";
import { QueueDashboard } from "../modules/queue-dashboard/queue-dashboard.ts";
import type { ServerDeps } from "../server-deps.ts";
import { captureLog, listen } from "./serve.ts";

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** `json` is sent as the body, `token` as the bearer token. */
type CallOptions = RequestInit & { token?: string; json?: unknown };

const TEST_ENVIRONMENT = {
  NODE_ENV: "test",
  CLIENT_ORIGIN: "http://localhost:5173",
  JWT_SECRET: "a secret of tests, longer than 32 characters",
  ADMIN_PASSWORD: "the admin's own password",
};

/** Passwords of tests need no protection. */
const quickHashing: PasswordHashing = {
  hash: (password) => hash(password, QUICK_HASH),
  verify: (stored, password) => verify(stored, password),
};

/** Starts the application without queue and push: no signal finishes unless `overrides` provide it. */
export async function startTestServer(options: {
  databaseUri: string;
  environment?: Record<string, string>;
  overrides?: Partial<ServerDeps>;
  hashing?: PasswordHashing;
}) {
  const { environment, overrides = {}, hashing = quickHashing } = options;
  const { logger, lines: logLines } = captureLog();
  const database = await openDatabase({ uri: options.databaseUri, logger });
  const dataDir = await mkdtemp(join(tmpdir(), "test-server-"));
  const made = {
    settings: loadSettings({ ...TEST_ENVIRONMENT, DATA_DIR: dataDir, ...environment }),
    database,
    logger,
    now: () => new Date(),
    ...overrides,
  };
  const mailer = selectMailer(made);
  const deps: ServerDeps = {
    ...made,
    identity: selectIdentity({ ...made, mailer, hashing }),
    mailer,
    background: new BackgroundTasks(logger),
    signalWaiters: { wait: () => Promise.resolve(null) },
    feedIsRunning: () => true,
    metrics: createServerMetrics(made),
    queueDashboard: new QueueDashboard(database),
    ...overrides,
  };
  const { url, close } = await listen(createApp(deps), logger);
  return {
    url,
    deps,
    database,
    channelSecrets: new ChannelSecrets(deps.settings.CHANNEL_SECRET),
    logLines,
    call: (path: string, callOptions?: CallOptions) => fetch(url + path, toRequest(callOptions)),
    async stop() {
      deps.queueDashboard.close();
      close();
      await deps.background.stop();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function toRequest({ token, json, ...init }: CallOptions = {}): RequestInit {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (json === undefined) return { ...init, headers };
  headers.set("Content-Type", "application/json");
  return { method: "POST", ...init, headers, body: JSON.stringify(json) };
}
