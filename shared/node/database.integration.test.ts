import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { openDatabase } from "./database.ts";

it("a database of a former version is refused with one clear line", async () => {
  const uri = testDatabaseUri("former");
  const client = await MongoClient.connect(uri);
  const events = client.db().collection<{ _id: string; head: number }>("events");
  await events.insertOne({ _id: "user:0123456789abcdef01234567", head: 3 });
  await client.close();
  await expect(openDatabase({ uri })).rejects.toThrow(
    /^The database was made by a former version and cannot be used\..*$/,
  );
});
