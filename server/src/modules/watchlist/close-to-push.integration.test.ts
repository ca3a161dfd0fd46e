import { HOUR_MS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { createUser, createWatchlistItem, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startClockedWorker } from "../../../../worker/src/testing/clocked-worker.ts";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

describe("the signal of a watched market", () => {
  /** The next close, so that none of the real clocks finds it too long ago. */
  const closedAt = lastCandleClose("1h", new Date()).getTime() + HOUR_MS;
  const clock = { now: closedAt - 5_000 };
  let server: LiveServer;
  let worker: Awaited<ReturnType<typeof startClockedWorker>>;

  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    worker = await startClockedWorker(server.database, clock);
  });
  afterAll(async () => {
    await worker.stop();
    await server.stop();
  });

  it("is pushed to each watcher after the close, and again to one who missed it, of one AI call", async () => {
    const { database, settings, url } = server;
    const watchers = await Promise.all(
      [1_000, 5_000].map(async (amount) => {
        const user = await createUser(database, { approved: true });
        // With leverage, a close stop does not make the amount the limit of the position.
        await createWatchlistItem(database, user, { amount, leverage: 10 });
        const push = new PushClient({ url, token: signTokenFor(user, settings) });
        await vi.waitFor(() => expect(push.socket.connected).toBe(true), PUSH_WAIT);
        return { user, amount, push };
      }),
    );
    await worker.runSchedule();
    for (const { user, amount, push } of watchers) {
      await vi.waitFor(() => expect(push.received).toHaveLength(1), PUSH_WAIT);
      const signal = eventSchemas["signal:completed"].parse(push.received[0]?.data);
      expect(signal).toMatchObject({ origin: "watchlist", timeframe: "1h" });
      expect(signal.analysis).toMatchObject({
        final_signal: "BUY",
        estimated_dollar_risk: expect.closeTo(amount / 100, 0),
        source: { data: "live", last_candle_at: new Date(closedAt).toISOString() },
      });
      push.close();
      const later = new PushClient({
        url,
        token: signTokenFor(user, settings),
        since: { user: 0 },
      });
      await vi.waitFor(() => expect(later.received).toEqual(push.received), PUSH_WAIT);
      later.close();
    }
    expect(worker.ai.chats).toHaveLength(1);
    expect(clock.now - closedAt).toBeLessThan(60_000);
  });
});
