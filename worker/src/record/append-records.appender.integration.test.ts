import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { verifyDatabase } from "@shared/domain/ledger.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startLedgerAppender } from "./append-records.ts";

/** What a killed worker had locked is free after 10 s. */
const WITHIN = { timeout: 40_000, interval: 20 };
const SIGNALS = 2_000;

describe("the ledger that workers keep", () => {
  let uri: string;
  let database: Database;
  let user: UserRecord;
  const workers: SpawnedService[] = [];
  beforeEach(async () => {
    uri = testDatabaseUri();
    database = await openDatabase({ uri });
    user = await createUser(database);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    await database.close();
  });

  const startWorker = async () => {
    const worker = await spawnService("worker", {
      MONGODB_URI: uri,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      MARKET_DATA: "replay",
    });
    workers.push(worker);
    return worker;
  };
  const untilRecorded = (count: number) =>
    vi.waitFor(async () => {
      expect(await database.ledger.countDocuments()).toBeGreaterThanOrEqual(count);
    }, WITHIN);

  it("has no gap and each signal once after a kill -9 in the middle of appending, and with two workers", async () => {
    const victim = await startWorker();
    await createSignals(database, user, { count: SIGNALS });
    await untilRecorded(1);
    await victim.kill();
    expect(await database.marketAnalyses.countDocuments({ ledgerSeq: null })).toBeGreaterThan(0);
    expect((await verifyDatabase(database)).fault).toBeNull();

    await Promise.all([startWorker(), startWorker()]);
    await untilRecorded(SIGNALS);
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: SIGNALS } });
    expect(await database.marketAnalyses.distinct("ledgerSeq")).toHaveLength(SIGNALS);
  }, 90_000);

  it("gets a finished signal within about a second, and nothing once the worker has stopped", async () => {
    const logger = createLogger({ service: "test", level: "silent" });
    const ledger = startLedgerAppender({ database, logger, now: () => new Date() });
    await createSignals(database, user);
    await untilRecorded(1);
    await createSignals(database, user);
    await untilRecorded(2);
    await ledger.stop();
    await createSignals(database, user);
    expect((await verifyDatabase(database)).head.seq).toBe(2);
  });
});
