import { type Database, openDatabase } from "@shared/database/database.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type DeliveryStage,
  deliveryStage,
  TEST_CHANNEL_SECRET,
} from "../testing/delivery-stage.ts";

/** Longer than the lease of a worker that is gone. */
const WITHIN = { timeout: 60_000, interval: 50 };
const signalRefSchema = z.object({ signal_id: z.string() });

const uri = newDatabaseUri("delivery-death");
const workers: SpawnedService[] = [];
let database: Database;
let stage: DeliveryStage;
beforeAll(async () => {
  database = await openDatabase({ uri });
  stage = deliveryStage(database);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await database.close();
});

it("kill -9: another worker sends the rest in order, and at most one message twice, with its id", async () => {
  const receiver = await startFakeWebhook();
  const exchange = await startFakeExchange();
  const start = async () => {
    const market = { MARKET_DATA: "live", EXCHANGES: "binance", EXCHANGE_URL: exchange.url };
    const keys = { CHANNEL_SECRET: TEST_CHANNEL_SECRET, WEBHOOK_ALLOW_PRIVATE: "on" };
    const worker = await spawnService("worker", { MONGODB_URI: uri, ...market, ...keys });
    workers.push(worker);
    return worker;
  };
  const received = () => receiver.received.map(({ data }) => signalRefSchema.parse(data).signal_id);
  const first = await start();
  const user = await createUser(database);
  await createChannel(stage, user, receiver.url);
  const sent = Array.from({ length: 60 }, (_, index) => `${index}`);
  const adding = (async () => {
    const resolved = { outcome: "WIN" as const, resolved_at: "2026-11-21T10:00:00.000Z" };
    for (const signal_id of sent) {
      await stage.addEvent(user, "signal:outcome", { signal_id, ...resolved });
    }
  })();
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(10), WITHIN);
  await first.kill();
  await adding;
  await start();
  await vi.waitFor(() => expect(received()).toContain("59"), WITHIN);
  expect([...new Set(received())]).toEqual(sent);
  expect(receiver.received.length - sent.length).toBeLessThanOrEqual(1);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(sent.length);
  await Promise.all([receiver.close(), exchange.close()]);
}, 120_000);
