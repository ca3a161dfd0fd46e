import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@shared/database/database.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import {
  FAKE_TRON_KEY,
  startFakeEvm,
  startFakeTron,
} from "@shared/testing/fakes/fake-blockchains.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type HttpFake, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { chartImage } from "@shared/testing/images.ts";
import { freePort, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, expect, it, vi } from "vitest";

const RECORDER = new URL("../shared/testing/record-connections.mjs", import.meta.url).href;
const PATIENCE = { timeout: 15_000, interval: 50 };
const SECRETS = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};

const folder = mkdtempSync(join(tmpdir(), "connections-"));
const cleanUp: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const step of cleanUp.toReversed()) await step();
});

/** Starts something that is closed when the test is over. */
async function open<Service extends { close(): unknown }>(start: Promise<Service>) {
  const service = await start;
  cleanUp.push(() => service.close());
  return service;
}

/** A service that is there, but has nothing. */
const startEmpty = (): Promise<HttpFake> =>
  startHttpFake(async (_, response) => void response.writeHead(404).end());

/** Starts a service as a process, as in production, with a recorder of its connections. */
async function startService(name: "server" | "worker", env: Record<string, string>): Promise<void> {
  const recorder = {
    NODE_OPTIONS: `--import ${RECORDER}`,
    RECORD_CONNECTIONS: join(folder, name),
  };
  const { kill } = await spawnService(name, { ...SECRETS, ...recorder, ...env });
  cleanUp.push(kill);
}

/** Addresses that a service has connected to and names that it has looked up, each once. */
function contactsOf(name: string): string[] {
  const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
  const plain = lines.map((line) => line.replace("localhost", "127.0.0.1"));
  return [...new Set(plain)].filter((line) => line !== "name 127.0.0.1").toSorted();
}

const contact = (url: string) => `tcp ${new URL(url).host.replace("localhost", "127.0.0.1")}`;

it("a server and a worker at work connect only to what their settings name", {
  timeout: 60_000,
}, async () => {
  const MONGODB_URI = testDatabaseUri();
  const [exchange, openAi, smtp] = await Promise.all([
    open(startFakeExchange()),
    open(startFakeOpenAi()),
    open(startFakeSmtp()),
  ]);
  const [oanda, yahoo, webhook] = await Promise.all([
    open(startEmpty()),
    open(startEmpty()),
    open(startEmpty()),
  ]);
  const evm = await open(startFakeEvm());
  const tron = await open(startFakeTron());
  const apiPort = await freePort();
  const metricsPort = await freePort();
  await Promise.all([
    startService("server", {
      MONGODB_URI,
      API_PORT: String(apiPort),
      SMTP_URL: smtp.url,
      USDT_EVM_ADDRESS: `0x${"b".repeat(40)}`,
      EVM_RPC_URL: evm.url,
      USDT_TRON_ADDRESS: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
      TRON_API_URL: tron.url,
      TRON_API_KEY: FAKE_TRON_KEY,
    }),
    startService("worker", {
      MONGODB_URI,
      MARKET_DATA: "live",
      WORKER_METRICS_PORT: String(metricsPort),
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
      OANDA_TOKEN: "any",
      OANDA_URL: oanda.url,
      YAHOO_URL: yahoo.url,
      EVENTS_URL: "off",
      OPENAI_API_KEY: "any",
      OPENAI_BASE_URL: openAi.baseUrl,
      LEDGER_WEBHOOK_URL: webhook.url,
    }),
  ]);
  const api = `http://127.0.0.1:${apiPort}`;
  const post = (path: string, json: object, token = "") =>
    fetch(api + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(json),
    });

  const ann = { username: "ann", email: "ann@example.com", password: "secret-1" };
  expect((await post("/register", ann)).status).toBe(201);
  expect(smtp.mailsTo("ann@example.com")).toHaveLength(1);
  const database = await open(openDatabase({ uri: MONGODB_URI }));
  const trader = await createUser(database, { approved: true });
  const token = signTokenFor(trader, SECRETS);
  for (const symbol of ["BTC/USDT", "XAU/USD"]) {
    expect((await post("/get-signal", { symbol, timeframe: "1h" }, token)).status).toBe(200);
  }
  const hostile = ["//127.0.0.2:9/", "127.0.0.2:9", "../../admin", "A@127.0.0.2", "LOCALHOST/USDT"];
  for (const symbol of hostile) {
    expect((await post("/get-signal", { symbol, timeframe: "1h" }, token)).status).toBe(422);
    const query = new URLSearchParams({ symbol, timeframe: "1h" });
    expect((await fetch(`${api}/candles?${query}`)).ok).toBe(false);
  }
  const admin = await createUser(database, { role: "admin" });
  const proof_image = await chartImage(1).png().toBuffer();
  for (const transaction_hash of [`0x${"c".repeat(64)}`, "c".repeat(64)]) {
    const body = multipartForm({ sender_name: "Ann", transaction_hash, proof_image });
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(`${api}/submit-payment-proof`, { method: "POST", headers, body });
    const lookup = await fetch(`${api}/admin/payments/${trader.username}/transaction`, {
      headers: { Authorization: `Bearer ${signTokenFor(admin, SECRETS)}` },
    });
    expect(lookup.status).toBe(200);
  }
  const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(figures).toContain('provider_circuit_open{provider="binance",service="worker"} 0');
  expect(figures).toMatch(
    /provider_failures_total\{provider="oanda",kind="\S+",service="worker"\} [1-9]/,
  );

  const mongo = contact(MONGODB_URI);
  await vi.waitFor(() => {
    expect(contactsOf("server")).toEqual(
      [mongo, ...[smtp.url, evm.url, tron.url].map(contact)].toSorted(),
    );
    const services = [exchange.url, openAi.baseUrl, oanda.url, yahoo.url].map(contact);
    expect(contactsOf("worker")).toEqual([mongo, ...services].toSorted());
  }, PATIENCE);
});

it("the recorder sees every way to connect", () => {
  const attempt = `
    import { createSocket } from "node:dgram";
    import { lookup, resolve4 } from "node:dns/promises";
    import { connect } from "node:net";
    import { connect as connectTls } from "node:tls";
    const ignore = () => undefined;
    await fetch("http://by-fetch.invalid/").catch(ignore);
    await lookup("by-lookup.invalid").catch(ignore);
    resolve4("by-resolve.invalid").catch(ignore);
    connect(9, "127.0.0.2").on("error", ignore);
    connectTls({ host: "127.0.0.3", port: 9 }).on("error", ignore);
    createSocket("udp4").send("x", 9, "127.0.0.4", () => process.exit());
  `;
  const args = ["--import", RECORDER, "--input-type=module", "--eval", attempt];
  const env = { ...process.env, RECORD_CONNECTIONS: join(folder, "attempts") };
  execFileSync(process.execPath, args, { env });
  const names = ["fetch", "lookup", "resolve"].map((way) => `name by-${way}.invalid`);
  const addresses = ["by-fetch.invalid:80", "127.0.0.2:9", "127.0.0.3:9"];
  expect(contactsOf("attempts")).toEqual(
    expect.arrayContaining(["udp", ...names, ...addresses.map((address) => `tcp ${address}`)]),
  );
});
