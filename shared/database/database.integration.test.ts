import { newDatabaseUri, testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { expect, it, vi } from "vitest";
import { openDatabase, readTime } from "./database.ts";

const TEN_MINUTES_MS = 600_000;

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
