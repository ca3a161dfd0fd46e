import { statusSchema } from "@shared/contract/market-data.ts";
import type { WorkerStatusRecord } from "@shared/database/models/worker-reports.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("GET /status", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());
  afterEach(() => server.database.workerStatuses.deleteMany());

  let workers = 0;
  const addWorker = (fields: Partial<WorkerStatusRecord>) =>
    server.database.workerStatuses.insertOne({
      _id: `worker-${++workers}`,
      marketData: "live",
      analyst: "openai",
      concurrency: 50,
      providers: [],
      startedAt: new Date(),
      seenAt: new Date(),
      ...fields,
    });
  const status = async () => {
    const answer = await server.call("/status");
    return statusSchema.strict().parse(await answer.json());
  };

  it("names the sources of the active worker, and the version", async () => {
    await addWorker({ marketData: "live", analyst: "openai" });
    expect(await status()).toEqual({
      market_data: "live",
      analyst: "openai",
      version: productVersion(),
    });
  });

  it("owns up to demo data and to rules as soon as one worker uses them", async () => {
    await addWorker({});
    await addWorker({ marketData: "replay" });
    await addWorker({ analyst: "rules" });
    expect(await status()).toMatchObject({ market_data: "replay", analyst: "rules" });
  });

  it("forgets a worker that has not been seen for thirty seconds", async () => {
    await addWorker({ marketData: "live", analyst: "openai" });
    await addWorker({
      marketData: "replay",
      analyst: "rules",
      seenAt: new Date(Date.now() - 31_000),
    });
    expect(await status()).toMatchObject({ market_data: "live", analyst: "openai" });
  });

  it.each([
    [{ MARKET_DATA: "live" }, { market_data: "live", analyst: "rules" }],
    [{ MARKET_DATA: "replay" }, { market_data: "replay", analyst: "rules" }],
    [{ MARKET_DATA: "auto" }, { market_data: "replay", analyst: "rules" }],
    [
      { MARKET_DATA: "live", OPENAI_API_KEY: "k" },
      { market_data: "live", analyst: "openai" },
    ],
  ] as const)("without a worker goes by the settings %j", async (settings, expected) => {
    const other = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: { settings: { ...server.deps.settings, ...settings } },
    });
    const answer = await other.call("/status");
    expect(await answer.json()).toMatchObject(expected);
    await other.stop();
  });
});
