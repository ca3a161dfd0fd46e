import { ledgerPageSchema } from "@shared/contract/ledger.ts";
import { performanceSchema } from "@shared/contract/performance.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { TEST_SECRETS } from "../../testing/start-live-server.ts";

const SEEDING = { timeout: 50_000, interval: 200 };

let services: SpawnedService[] = [];
let url = "";
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  // As `npm start` starts them for a demo.
  const demo = { MARKET_DATA: "replay", DEMO_RECORD: "on" };
  const env = { ...TEST_SECRETS, ...demo, MONGODB_URI: testDatabaseUri() };
  services = await Promise.all([
    spawnService("server", { ...env, API_PORT: String(port) }),
    spawnService("worker", env),
  ]);
});
afterAll(() => Promise.all(services.map((service) => service.kill())));

it("a demo shows a record of the past to its first visitor, and says what it is", async () => {
  const read = async (path: string) => (await fetch(url + path)).json();
  const demo = await vi.waitFor(async () => {
    const record = performanceSchema.parse(await read("/performance?data=replay"));
    expect(record.counts.decided).toBeGreaterThan(0);
    return record;
  }, SEEDING);
  expect(demo.trades).toBeGreaterThan(0);
  // What the page shows first: it opens with the demo record where there is no other.
  expect(performanceSchema.parse(await read("/performance")).counts.decided).toBe(0);
  expect(await read("/status")).toMatchObject({ market_data: "replay" });
  const { entries } = ledgerPageSchema.parse(await read("/ledger"));
  expect(entries.length).toBeGreaterThan(0);
  for (const { record } of entries) expect(record.body).toMatchObject({ demo_record: true });
});
