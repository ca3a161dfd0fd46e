import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rulesAnalyst } from "./analysis/rules/rules-analyst.ts";
import type { ProviderHealth } from "./market-data/fallback-market-data.ts";
import { startHeartbeat } from "./start-worker.ts";

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());

it("a worker reports what it uses and how its providers are, until it stops", async () => {
  const at = new Date(Date.UTC(2026, 0, 1));
  const health: ProviderHealth[] = [
    { provider: "binance", state: "ok", lastSuccessAt: at, lastFailure: null, failures: new Map() },
    {
      provider: "okx",
      state: "failing",
      lastSuccessAt: null,
      lastFailure: { failure: "refused", at },
      failures: new Map([["refused", 1]]),
    },
  ];
  const reports = await startHeartbeat({
    workerId: "worker-1",
    database,
    logger: createLogger({ service: "worker", level: "silent" }),
    now: () => at,
    chosen: {
      current: { analyst: { ...rulesAnalyst, version: "rules/2" }, model: "rules" },
      refresh: () => Promise.resolve(),
    },
    concurrency: 7,
    market: { currentSource: () => "live", health: () => health },
  });
  expect(await database.workerStatuses.find().lean()).toMatchObject([
    {
      analyst: "rules",
      concurrency: 7,
      marketData: "live",
      seenAt: expect.any(Date),
      providers: [
        { provider: "binance", state: "ok", lastSuccessAt: at, lastFailure: null },
        {
          provider: "okx",
          state: "failing",
          lastSuccessAt: null,
          lastFailure: { failure: "refused", at },
        },
      ],
    },
  ]);
  const setup = { data: "live", analyst: "rules", analystVersion: "rules/2", model: "rules" };
  expect(await database.analysisSetup.find().lean()).toMatchObject([setup]);
  await reports.stop();
  expect(await database.analysisSetup.find().lean()).toMatchObject([setup]);
  expect(await database.workerStatuses.find().lean()).toEqual([]);
});
