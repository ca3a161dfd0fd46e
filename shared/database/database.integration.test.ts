import { SettingsError } from "@shared/runtime/settings.ts";
import { newDatabaseUri, testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { MongoMemoryServer } from "mongodb-memory-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureMongod } from "../../scripts/lib/mongo/mongod.ts";
import { openDatabase, readEach, readTime } from "./database.ts";

const TEN_MINUTES_MS = 600_000;

describe("a server that is no member of a replica set", () => {
  let standalone: MongoMemoryServer;
  beforeAll(async () => {
    const { path, version } = await ensureMongod();
    standalone = await MongoMemoryServer.create({ binary: { systemBinary: path, version } });
  });
  afterAll(() => standalone.stop());

  it.each(["", "&replicaSet=rs0"])("is refused with the name of the setting (%s)", async (set) => {
    const uri = `${standalone.getUri("signals")}?directConnection=false${set}`;
    const opening = openDatabase({ uri });
    await expect(opening).rejects.toThrow(SettingsError);
    await expect(opening).rejects.toThrow(/^MONGODB_URI: .*replica set.*$/);
  });
});

it("a database of a former version is refused with one clear line", async () => {
  const uri = newDatabaseUri("former");
  const client = await MongoClient.connect(uri);
  await client.db().collection("market_analyses").insertOne({ receipt: {} });
  await client.close();
  await expect(openDatabase({ uri })).rejects.toThrow(
    /^The database was made by a former version and cannot be used\..*$/,
  );
});

it("shows the time of the database in a process whose clock is ten minutes off", async () => {
  const uri = testDatabaseUri();
  for (const offMs of [-TEN_MINUTES_MS, TEN_MINUTES_MS]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offMs });
    const database = await openDatabase({ uri });
    const errorMs = database.now().getTime() - (await readTime(database)).getTime();
    expect(Math.abs(errorMs)).toBeLessThan(TEN_MINUTES_MS / 10);
    await database.close();
    vi.useRealTimers();
  }
});

it("keeps no cursor of a reader that stops early", async () => {
  const database = await openDatabase({ uri: testDatabaseUri() });
  const { connection, telegramUpdates } = database;
  const at = new Date();
  await telegramUpdates.insertMany(Array.from({ length: 300 }, (_, id) => ({ _id: `${id}`, at })));
  const read: string[] = [];
  for await (const { _id } of readEach(telegramUpdates.find().lean())) {
    read.push(_id);
    if (read.length === 2) break;
  }
  expect(read).toHaveLength(2);
  const ns = `${connection.name}.telegram_updates`;
  const idle = [{ $currentOp: { idleCursors: true } }, { $match: { type: "idleCursor", ns } }];
  const admin = connection.getClient().db("admin");
  const found = await admin.aggregate(idle, { readConcern: { level: "local" } }).toArray();
  expect(found).toEqual([]);
  await database.close();
});
