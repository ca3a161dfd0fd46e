import { performance } from "node:perf_hooks";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, listSymbols, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { expect, it, vi } from "vitest";
import { startLiveServer } from "./testing/start-live-server.ts";

it("a request that waits for a signal is answered with its id when the server stops", async () => {
  const server = await startLiveServer({ databaseUri: testDatabaseUri() });
  await listSymbols(server.database);
  const user = await createUser(server.database, { approved: true });
  const answering = callApi(`${server.url}/get-signal`, {
    token: signTokenFor(user, server.settings),
    body: { symbol: "BTC/USDT", timeframe: "1h" },
  });
  const signal = await vi.waitUntil(
    () => server.database.signals.findOne({ userId: user._id }).lean(),
    { timeout: 15_000, interval: 20 },
  );
  const startedMs = performance.now();
  const stopped = server.stop();
  const { status, headers, body } = await answering;
  expect(status).toBe(504);
  expect(headers.get("Location")).toBe(`/signals/${signal._id}`);
  expect(errorBodySchema.parse(body)).toMatchObject({
    code: "timeout",
    signal_id: String(signal._id),
  });
  await stopped;
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});
