import { endRecording, recordedScans, recordScans } from "@shared/testing/collection-scans.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "./testing/start-live-server.ts";

let product: LiveProduct;
beforeAll(async () => {
  product = await startLiveProduct({ workers: 0 });
  await recordScans(product.database);
});
afterAll(async () => {
  await endRecording(product.database);
  await product.stop();
});

/** Work items that are always there, and are done at least every 10 s. */
const FREQUENT = [
  "check-model",
  "resolve-outcomes",
  "schedule-analyses",
  "sweep-signals",
  "sweep-subscriptions",
];

it("workers need an index for every query of a signal and of their jobs", async () => {
  const { database } = product;
  const user = await createUser(database, { approved: true });
  await createWatchlistItem(database, user);
  await product.startWorker();
  const response = await product.call(user, "/get-signal", {
    method: "POST",
    body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" }),
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(200);
  await vi.waitFor(
    async () => {
      const done = { name: { $in: FREQUENT }, lastFinishedAt: { $ne: null } };
      const jobs = await database.jobs.find(done).sort({ name: 1 }).lean();
      expect(jobs.map(({ name }) => name)).toEqual(FREQUENT);
    },
    { timeout: 60_000, interval: 250 },
  );
  expect(await recordedScans(database)).toEqual([]);
}, 90_000);
