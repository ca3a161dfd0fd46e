import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { openDatabase } from "./database.ts";

it.each([
  ["events", { _id: "user:0123456789abcdef01234567", head: 3 }],
  ["signals", { _id: "a signal without an analysis", status: "completed" }],
])("a database of a former version is refused with one clear line: %s", async (name, document) => {
  const uri = newDatabaseUri("former");
  const client = await MongoClient.connect(uri);
  await client.db().collection<{ _id: string }>(name).insertOne(document);
  await client.close();
  await expect(openDatabase({ uri })).rejects.toThrow(
    /^The database was made by a former version and cannot be used\..*$/,
  );
});
