import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { FILE_KINDS, fileStore } from "@shared/database/file-bytes.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { cleanUpFiles, newFilename } from "@shared/domain/file-store.ts";
import { newSubscription } from "@shared/domain/subscription-schedule.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { spawnService } from "@shared/testing/spawn-service.ts";
import { type Db, MongoClient, ObjectId } from "mongodb";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveServer, startLiveServer } from "../../server/src/testing/start-live-server.ts";
import { sweepSubscriptions } from "../../worker/src/subscriptions/sweep-subscriptions.ts";
import { createWorkerMetrics } from "../../worker/src/worker-metrics.ts";
import { backUp } from "../backup/run-backup.ts";
import { ensureMongod, MONGOD_PARAMETERS } from "../lib/mongo/mongod.ts";
import { createAccounts } from "./create-accounts.ts";

const NAMES = ["server", "worker", "backup"] as const;
type Name = (typeof NAMES)[number];
const PASSWORDS = {
  server: "password-of-the-server",
  worker: "password-of-the-worker",
  backup: "password-of-the-backup",
};

let mongo: MongoMemoryReplSet;
let root: Database;
const clients = new Map<Name, MongoClient>();
const folder = mkdtempSync(join(tmpdir(), "accounts-"));

function uriOf(account: string, password: string): string {
  const uri = new URL(mongo.getUri("signals"));
  uri.username = account;
  uri.password = password;
  uri.searchParams.set("authSource", "admin");
  return uri.href;
}
const dbOf = (account: Name): Db => clients.get(account)?.db() ?? expect.fail(account);

beforeAll(async () => {
  const mongod = await ensureMongod();
  mongo = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      args: [...MONGOD_PARAMETERS],
      auth: { enable: true, customRootName: "root", customRootPwd: "root-password" },
    },
  });
  const rootUri = uriOf("root", "root-password");
  await createAccounts(rootUri, { ...PASSWORDS, worker: "password-before" });
  await createAccounts(rootUri, PASSWORDS);
  root = await openDatabase({ uri: rootUri });
  for (const name of NAMES)
    clients.set(name, await MongoClient.connect(uriOf(name, PASSWORDS[name])));
}, 60_000);
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await root?.close();
  await mongo?.stop();
  rmSync(folder, { recursive: true });
});

describe("the accounts of the database", () => {
  it("are enough for a server and a worker to make signals", { timeout: 60_000 }, async () => {
    const uri = uriOf("server", PASSWORDS.server);
    const server: LiveServer = await startLiveServer({ databaseUri: uri });
    const worker = await spawnService("worker", {
      MONGODB_URI: uriOf("worker", PASSWORDS.worker),
      MARKET_DATA: "replay",
    });
    const token = signTokenFor(await createUser(root, { approved: true }), server.settings);
    const answer = await fetch(`${server.url}/get-signal`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" }),
    });
    expect(await answer.json()).toMatchObject({ status: "completed" });
    expect(await worker.stop()).toBe(0);
    await server.stop();
    expect(worker.lines.join("\n")).not.toContain("not authorized");
  });

  it("are enough for the sweep of subscriptions", async () => {
    const worker = await openDatabase({ uri: uriOf("worker", PASSWORDS.worker) });
    const startedAt = new Date(Date.now() - 26 * 86_400_000);
    const terms = { plan: "pro", months: 1, graceDays: 3 } as const;
    const subscription = newSubscription(startedAt, terms);
    const { _id } = await createUser(root, { approved: true, subscription });
    const logger = createLogger({ service: "test", level: "silent" });
    const { signal: abort } = new AbortController();
    const metrics = createWorkerMetrics();
    const now = () => new Date();
    await sweepSubscriptions({ database: worker, logger, metrics, now, abort }, now());
    expect(await root.users.findById(_id).lean()).toMatchObject({ imageCredits: 200 });
    const emails = { name: SEND_EMAIL, "data.userId": _id.toString() };
    expect(await root.jobs.countDocuments(emails)).toBe(1);
    await worker.close();
  });

  it("are enough for the nightly cleanup and for a backup", async () => {
    const worker = await openDatabase({ uri: uriOf("worker", PASSWORDS.worker) });
    const server = await openDatabase({ uri: uriOf("server", PASSWORDS.server) });
    for (const kind of FILE_KINDS) {
      const id = new ObjectId();
      const file = { id, filename: newFilename("image/png"), bytes: Buffer.from("any") };
      await fileStore(server, kind).save(file);
      await cleanUpFiles({ database: worker, now: () => new Date(Date.now() + 2 * 3_600_000) });
      expect(await fileStore(server, kind).read(id)).toBeNull();
    }
    await server.close();
    await worker.close();
    expect(
      await backUp(uriOf("backup", PASSWORDS.backup), { folder: join(folder, "backup") }),
    ).toMatch(/^Saved /);
  });

  it.each(["identities", "mail_tokens", "dashboard_tokens", "rate_limits", "security_log"])(
    "keep the worker out of %s",
    async (name) => {
      const collection = dbOf("worker").collection(name);
      await expect(collection.findOne()).rejects.toThrow("not authorized");
      await expect(collection.insertOne({})).rejects.toThrow("not authorized");
    },
  );

  it.each([
    ["server", "security_log"],
    ["server", "ledger"],
    ["worker", "ledger"],
  ] as const)("let the %s change nothing in %s", async (account, name) => {
    const collection = dbOf(account).collection(name);
    await expect(collection.updateMany({}, { $set: { at: 0 } })).rejects.toThrow("not authorized");
    await expect(collection.deleteMany({})).rejects.toThrow("not authorized");
  });

  it.each(NAMES)("let the %s drop nothing, and see no other database", async (account) => {
    const db = dbOf(account);
    const refused = expect.objectContaining({ codeName: "Unauthorized" });
    await expect(db.dropDatabase()).rejects.toEqual(refused);
    await expect(db.dropCollection("users")).rejects.toEqual(refused);
    await expect(db.command({ collMod: "users", validator: {} })).rejects.toEqual(refused);
    await expect(db.command({ createUser: "more", pwd: "any", roles: [] })).rejects.toEqual(
      refused,
    );
    const client = clients.get(account);
    await expect(client?.db("other").collection("any").findOne()).rejects.toEqual(refused);
    await expect(client?.db("admin").collection("system.users").findOne()).rejects.toEqual(refused);
    await expect(client?.db("admin").command({ shutdown: 1 })).rejects.toEqual(refused);
  });

  it("let the backup read, and write nothing", async () => {
    const users = dbOf("backup").collection("users");
    expect(await users.countDocuments()).toBeGreaterThan(0);
    await expect(users.insertOne({})).rejects.toThrow("not authorized");
    await expect(users.deleteMany({})).rejects.toThrow("not authorized");
  });
});
