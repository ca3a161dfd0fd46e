import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { openDatabase } from "./database.ts";

it("a database of a former version is refused with one clear line", async () => {
  const uri = newDatabaseUri("former");
  const client = await MongoClient.connect(uri);
  await client.db().collection("market_analyses").insertOne({ receipt: {} });
  await client.close();
  await expect(openDatabase({ uri })).rejects.toThrow(
    /^The database was made by a former version and cannot be used\..*$/,
  );
});
