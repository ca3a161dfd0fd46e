import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@shared/testing/spawn-service.ts";
import { MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { backUp, restore } from "../../backup/run-backup.ts";
import { tryLock } from "../process-lock.mjs";
import { runCommand } from "../run-command.ts";
import { announceDatabase, startEmbeddedMongo, withDatabase } from "./embedded-mongo.ts";
import { directClient, ensureMongod, REPLICA_SET, spawnMongod } from "./mongod.ts";

let dataDir = "";
const stops: (() => Promise<void>)[] = [];

async function start() {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const started = await startEmbeddedMongo(dataDir, {
    signal,
    say: (line) => void lines.push(line),
  });
  stops.push(() => started.service.stop());
  return { ...started, lines };
}

/** Adds a document with the acknowledgement of the replica set, and returns the number of documents. */
async function addNote(uri: string): Promise<number> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000 });
  try {
    const notes = client.db().collection("notes");
    await notes.insertOne({}, { writeConcern: { w: "majority" } });
    return await notes.countDocuments();
  } finally {
    await client.close();
  }
}

/** Makes a data folder as versions without accounts did, with one note. */
async function makeFormerData(): Promise<void> {
  const { path: command } = await ensureMongod();
  const options = { dbPath: join(dataDir, "mongo"), args: [] } as const;
  const port = await freePort();
  const mongod = spawnMongod({ ...options, command, port });
  const client = directClient(port);
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  await client.db("admin").command({ replSetInitiate: { _id: REPLICA_SET, members } });
  await client.close();
  const uri = anonymous(`mongodb://127.0.0.1:${port}/trading-signals`);
  await vi.waitFor(() => addNote(uri), { timeout: 30_000, interval: 100 });
  mongod.kill("SIGTERM");
  await once(mongod, "exit");
}

type Attack = (client: MongoClient) => Promise<unknown>;

/** What the database answers to `work` with the database at this address. */
async function refusalOf(uri: string, work: Attack) {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  try {
    await work(client);
    return "none";
  } catch (error) {
    return error instanceof MongoServerError ? error.codeName : error;
  } finally {
    await client.close();
  }
}

/** The address without its account. */
const anonymous = (uri: string): string => {
  const { host, pathname } = new URL(uri);
  return `mongodb://${host}${pathname}?replicaSet=${REPLICA_SET}`;
};

const ATTACKS = {
  "read documents": (client: MongoClient) => client.db().collection("notes").findOne(),
  "list collections": (client: MongoClient) => client.db().listCollections().toArray(),
  "list databases": (client: MongoClient) => client.db().admin().listDatabases(),
  "read the replica set's log": (client: MongoClient) =>
    client.db("local").collection("oplog.rs").findOne(),
  "watch changes": (client: MongoClient) => client.db().watch().tryNext(),
  "add documents": (client: MongoClient) => client.db().collection("notes").insertOne({}),
  "drop the database": (client: MongoClient) => client.db().dropDatabase(),
  "make an account": (client: MongoClient) =>
    client.db("admin").command({ createUser: "me", pwd: "mine", roles: ["root"] }),
  "take over the replica set": (client: MongoClient) =>
    client.db("admin").command({
      replSetReconfig: { _id: REPLICA_SET, version: 9, members: [{ _id: 0, host: "evil:27017" }] },
      force: true,
    }),
  "stop it": (client: MongoClient) => client.db("admin").command({ shutdown: 1, force: true }),
};

/** The tests of a group share a folder and what the earlier ones have started. */
function shareFolder(): void {
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
  });
  afterAll(async () => {
    for (const stop of stops.splice(0)) await stop();
    rmSync(dataDir, { recursive: true });
  });
}

describe("the embedded database", () => {
  shareFolder();
  let first: Awaited<ReturnType<typeof start>>;
  let notes = 0;
  const settings = () => ({ MONGODB_URI: undefined, DATA_DIR: dataDir });

  it("lets no other process make its first account while it starts", async () => {
    const started = new AbortController();
    const starting = start().finally(() => started.abort());
    const log = join(dataDir, "log", "mongod.log");
    const [, port] = await vi.waitFor(
      () =>
        /Waiting for connections.*"port":(\d+)/.exec(readFileSync(log, "utf8")) ?? expect.fail(),
      { timeout: 30_000, interval: 20 },
    );
    const address = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    const refusals = new Set();
    while (!started.signal.aborted) {
      refusals.add(await refusalOf(address, ATTACKS["make an account"]));
    }
    expect([...refusals]).toEqual(["Unauthorized"]);
    first = await starting;
  });

  it("cannot be read or changed without its password", async () => {
    const { uri } = first;
    expect(await addNote(uri)).toBe(1);
    for (const [name, attack] of Object.entries(ATTACKS)) {
      expect([name, await refusalOf(anonymous(uri), attack)]).toEqual([name, "Unauthorized"]);
    }
    for (const username of ["signals", "root", "__system"]) {
      const guess = Object.assign(new URL(uri), { username, password: "guess" });
      const refusal = await refusalOf(guess.href, (client) => client.connect());
      expect([username, refusal]).toEqual([username, "AuthenticationFailed"]);
    }
    expect(await addNote(uri)).toBe(2);
  });

  it("comes back at the same address with its data after a crash", async () => {
    const { uri, service, lines } = first;
    process.kill(service.pid ?? Number.NaN, "SIGKILL");
    notes = await vi.waitFor(
      async () => {
        const count = await addNote(uri);
        expect(count).toBeGreaterThan(2);
        return count;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(lines).toEqual(["The database stopped (SIGKILL); starting it again in 0.5 s."]);
  });

  it("is reached by commands while the product is running", async () => {
    const release = await tryLock(`run ${realpathSync(dataDir)}`);
    const withdraw = announceDatabase(dataDir, first.uri);
    expect(await withDatabase(settings(), addNote)).toBe(notes + 1);
    withdraw();
    await release?.();
    await first.service.stop();
  });

  it("keeps its data when a command starts it again on another port, and can be backed up and restored", async () => {
    const backup = { folder: join(dataDir, "backup"), passphrase: undefined };
    await withDatabase(settings(), async (uri) => {
      expect(uri).not.toBe(first.uri);
      expect(await addNote(uri)).toBe(notes + 2);
      await backUp(uri, backup);
    });
    const to = { ...settings(), DATA_DIR: join(dataDir, "to") };
    await withDatabase(to, async (uri) => {
      await restore(uri, backup);
      expect(await addNote(uri)).toBe(notes + 3);
    });
  });
});

describe("the embedded database of a version that had no accounts", () => {
  shareFolder();
  let started: Awaited<ReturnType<typeof start>>;

  it("keeps the data of a version that had no accounts, and protects it", async () => {
    await makeFormerData();
    for (const name of ["mongo-key", "mongo-address"]) {
      writeFileSync(join(dataDir, name), "of another start", { mode: 0o644 });
    }
    started = await start();
    expect(await addNote(started.uri)).toBe(2);
    expect(await refusalOf(anonymous(started.uri), ATTACKS["read documents"])).toBe("Unauthorized");
  });

  it.skipIf(process.platform === "win32")(
    "shows its password and key to no other user",
    async () => {
      const { uri, lines } = started;
      announceDatabase(dataDir, uri);
      for (const name of ["mongo-key", "mongo-address"]) {
        expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
      }
      const { stdout } = await runCommand({ command: "ps", args: ["-eww", "-o", "args="] });
      expect(stdout).toContain(`--keyFile=${join(dataDir, "mongo-key")}`);
      const log = readFileSync(join(dataDir, "log", "mongod.log"), "utf8");
      for (const secret of [
        new URL(uri).password,
        readFileSync(join(dataDir, "mongo-key"), "utf8"),
      ]) {
        expect(secret.length).toBeGreaterThan(40);
        expect([stdout, log, ...lines].filter((text) => text.includes(secret))).toEqual([]);
      }
    },
  );
});

describe("an embedded database that cannot start", () => {
  shareFolder();

  it("says in one line why it cannot start", async () => {
    writeFileSync(join(dataDir, "mongo"), "a file where the folder should be");
    await expect(start()).rejects.toThrow("EEXIST");
  });
});
