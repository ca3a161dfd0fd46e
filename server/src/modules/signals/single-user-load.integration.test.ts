import { type Database, openDatabase } from "@shared/database/database.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const REQUESTS = 60;
const NAMES_OF_A_SIGNAL = ["signal:queued", "signal:started", "signal:completed"];
const secrets = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};

/** Two servers and two workers, all of which number the events of the same stream. */
describe("sixty requests of one user at once", () => {
  const uri = testDatabaseUri();
  const ports: number[] = [];
  let database: Database;
  let parts: SpawnedService[];

  beforeAll(async () => {
    database = await openDatabase({ uri });
    ports.push(await freePort(), await freePort());
    const env = { ...secrets, MONGODB_URI: uri, MARKET_DATA: "replay", RATE_LIMIT: "off" };
    parts = await Promise.all([
      ...ports.map((port) => spawnService("server", { ...env, API_PORT: String(port) })),
      spawnService("worker", env),
      spawnService("worker", env),
    ]);
  });
  afterAll(async () => {
    await Promise.all(parts.map((part) => part.stop()));
    await database.close();
  });

  it("are all accepted and made, and their events are numbered without a gap", {
    timeout: 60_000,
  }, async () => {
    const user = await createUser(database, { approved: true });
    const token = signTokenFor(user, loadSettings(secrets));
    const ask = async (index: number) => {
      const response = await fetch(`http://localhost:${ports[index % ports.length]}/get-signal`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          prefer: "respond-async",
        },
        body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" }),
      });
      return response.status;
    };
    const indexes = Array.from({ length: REQUESTS }, (_, index) => index);
    expect(await Promise.all(indexes.map(ask))).toEqual(indexes.map(() => 202));
    const completed = () => database.signals.countDocuments({ status: "completed" });
    await vi.waitFor(async () => expect(await completed()).toBe(REQUESTS), {
      timeout: 40_000,
      interval: 100,
    });
    const events = await database.events.find({ stream: userStream(user._id) }).sort({ seq: 1 });
    // Where the market moves just then, more is published about the signals that are there.
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const made = events.filter(({ name }) => NAMES_OF_A_SIGNAL.includes(name));
    expect(made).toHaveLength(REQUESTS * NAMES_OF_A_SIGNAL.length);
  });
});
