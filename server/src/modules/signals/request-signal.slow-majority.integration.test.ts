import { nativeCollection } from "@shared/database/database.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ensureMongod, MONGOD_PARAMETERS } from "../../../../scripts/lib/mongo/mongod.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

/** The journal is written ten times a second, possibly just before the request. */
const REPETITIONS = 10;
const acceptedSchema = z.object({ signal_id: z.string() });

let replicaSet: MongoMemoryReplSet;
let server: TestServer;
beforeAll(async () => {
  const { path: systemBinary, version } = await ensureMongod();
  // A majority has a write once it is in the journal, as by default, which other tests do without.
  replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary, version },
    replSet: { count: 1, storageEngine: "wiredTiger", args: MONGOD_PARAMETERS },
  });
  server = await startTestServer({ databaseUri: replicaSet.getUri("slow-majority") });
});
afterAll(async () => {
  await server.stop();
  await replicaSet.stop();
});

it("a key that another server has used a moment ago gives its signal, though a majority does not have it yet", async () => {
  const { idempotencyKeys } = server.database;
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const user = await createUser(server.database, { approved: true });
    const ask = () =>
      server.call("/get-signal", {
        json: { symbol: "BTC/USDT", timeframe: "1h" },
        token: signTokenFor(user, server.deps.settings),
        headers: { Prefer: "respond-async", "Idempotency-Key": "press-1" },
      });
    const { signal_id } = acceptedSchema.parse(await (await ask()).json());
    const key = await idempotencyKeys.findOne({ signalId: signal_id }).lean();
    if (!key) throw new Error("there is no key");
    await idempotencyKeys.deleteOne({ _id: key._id });
    await nativeCollection(idempotencyKeys).insertOne(key, { writeConcern: { w: 1 } });
    const again = await ask();
    expect(again.status).toBe(202);
    expect(await again.json()).toMatchObject({ signal_id });
  }
});
