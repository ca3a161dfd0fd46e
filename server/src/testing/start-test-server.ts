import { mkdtemp, rm } from "node:fs/promises";
import { type OutgoingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hash, verify } from "@node-rs/argon2";
import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import { openDatabase } from "@shared/database/database.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { createLogger, type Logger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { listSymbols, QUICK_HASH } from "@shared/testing/factories.ts";
import { listenLocally } from "@shared/testing/fakes/fake-http.ts";
import Koa from "koa";
import { createApp } from "../app.ts";
import { type AppDeps, createDeps } from "../create-deps.ts";
import type { AppMiddleware, AppState } from "../http/context.ts";
import { createHttpServer } from "../http/create-http-server.ts";
import type { PasswordHashing } from "../modules/accounts/identity/builtin-identity.ts";
import { ImageDecoder } from "../modules/files/image-decoder.ts";

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

/** Of all servers and test files of this process, with which it ends: its processes start for longer than they decode. */
const images = new ImageDecoder();

/** Starts the application without queue and push: no signal finishes unless `overrides` provide it. */
export async function startTestServer(options: {
  databaseUri: string;
  environment?: Record<string, string>;
  overrides?: Partial<AppDeps>;
  hashing?: PasswordHashing;
}) {
  const { environment, overrides = {}, hashing = quickHashing } = options;
  const { logger, lines: logLines } = captureLog();
  const database = await openDatabase({ uri: options.databaseUri, logger });
  await listSymbols(database);
  const dataDir = await mkdtemp(join(tmpdir(), "test-server-"));
  const made = {
    settings: loadSettings({ ...TEST_ENVIRONMENT, DATA_DIR: dataDir, ...environment }),
    database,
    logger,
    now: () => new Date(),
    ...overrides,
  };
  const waiting = {
    signalWaiters: { wait: () => Promise.resolve(null) },
    feedIsRunning: () => true,
  };
  const deps: AppDeps = { ...createDeps({ ...made, ...waiting, hashing }), images, ...overrides };
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

export interface Listening {
  url: string;
  close(): void;
}

export async function listen(app: Koa<AppState>, logger: Logger): Promise<Listening> {
  const http = createHttpServer(app, logger);
  const port = await listenLocally(http);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

export function serve(...middlewares: AppMiddleware[]): Promise<Listening> {
  const app = new Koa<AppState>();
  for (const middleware of middlewares) app.use(middleware);
  return listen(app, captureLog().logger);
}

export const answerOk: AppMiddleware = (ctx) => {
  ctx.body = "ok";
};

/** A logger at the lowest level, and the lines that it has written. */
export function captureLog(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = {
    write(line: string) {
      lines.push(line);
    },
  };
  return { logger: createLogger({ service: "server", level: "trace", destination }), lines };
}

export interface RawRequest {
  method?: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Sends a request unchanged, where `fetch` would correct or reject it. */
export function sendRaw(url: string, { body, ...options }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, ...options }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      text(answer).then((read) => resolve({ status, headers, body: read }), reject);
    })
      .on("error", reject)
      .end(body);
  });
}

/** A user in the paths of `ABUSABLE_ROUTES`. */
export const VICTIM = "victim";

/** Every route of the API for tests that send invalid requests. */
export const ABUSABLE_ROUTES = ROUTES.map(({ method, path, access, request, usesDatabase }) => {
  // A bearer token is not accepted there, and without a cookie neither body nor database is read.
  const isDashboard = access === "queue-dashboard";
  const body = isDashboard || !("body" in request) ? undefined : request.body;
  return {
    method,
    path: path.replace(":username", VICTIM).replace(/:\w+/, "0123456789abcdef01234567"),
    /** Names of the fields that its body may have. */
    fields: Object.keys(body?.shape ?? {}),
    /** Rejects an empty body. */
    isNeedy: body !== undefined && !body.safeParse({}).success,
    accepts: (value: object) => body?.safeParse(value).success ?? true,
    needsToken: access !== "public",
    /** Requires a cookie, and reads no body without it. */
    needsCookie: isDashboard,
    /** The dashboard first requires a cookie, or the origin of the web pages. */
    needsDatabase: usesDatabase !== false && !path.startsWith("/admin/queue"),
  };
});
