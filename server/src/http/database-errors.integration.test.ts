import { openDatabase } from "@shared/database/database.ts";
import { startDatabaseRelay } from "@shared/testing/failing-database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import mongoose from "mongoose";
import { describe, expect, it, onTestFinished } from "vitest";
import { isDatabaseUnavailable } from "./database-errors.ts";

describe("a write of several documents", () => {
  it("counts as a failure of the database if that cannot be reached", async () => {
    const { relay, uri } = await startDatabaseRelay(testDatabaseUri());
    const database = await openDatabase({ uri });
    onTestFinished(() => database.close());
    const insert = (count: number) =>
      database.marketCandles.collection.insertMany(Array.from({ length: count }, () => ({})));

    await insert(2);
    await relay.cut();
    const failure: unknown = await insert(2).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(mongoose.mongo.MongoBulkWriteError);
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });
});
