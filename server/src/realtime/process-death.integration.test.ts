import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

const secrets = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};
const settings = loadSettings(secrets);
const acceptedSchema = z.object({ signal_id: z.string() });
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const WAIT = { timeout: 30_000, interval: 50 };

describe("a server that is killed without warning", () => {
  const uri = testDatabaseUri();
  let database: Database;
  const services: SpawnedService[] = [];
  const startServer = async (port: number): Promise<SpawnedService> => {
    const service = await spawnService("server", {
      ...secrets,
      MONGODB_URI: uri,
      API_PORT: String(port),
      RATE_LIMIT: "off",
    });
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    database = await openDatabase({ uri });
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await database.close();
  });

  const addEvent = ({ _id }: UserRecord) =>
    commit(database, { lockKeys: userStream(_id), groupCommit: true }, (uow) => {
      for (const _ of oneTo(10)) uow.addEvent(userStream(_id), "history:cleared", {});
    });

  it("costs its browsers nothing: they reconnect to the next one and miss no event", async () => {
    const user = await createUser(database, { approved: true });
    const port = await freePort();
    const server = await startServer(port);
    const client = new PushClient({
      url: `http://localhost:${port}`,
      token: signTokenFor(user, settings),
      since: { user: 0 },
    });
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), WAIT);
    const burst = Promise.all(oneTo(60).map(() => addEvent(user)));
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThan(50), WAIT);
    await server.kill();
    await startServer(port);
    await burst;
    await vi.waitFor(() => expect(client.seqs("user").at(-1)).toBe(600), WAIT);
    expect(client.seqs("user")).toEqual(oneTo(600));
    client.close();
  }, 60_000);

  it("leaves no signal without its event and no event without its signal", async () => {
    const user = await createUser(database, { approved: true });
    const port = await freePort();
    const server = await startServer(port);
    const accepted: string[] = [];
    const request = async () => {
      const response = await fetch(`http://localhost:${port}/get-signal`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${signTokenFor(user, settings)}`,
          "content-type": "application/json",
          prefer: "respond-async",
        },
        body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" }),
      });
      accepted.push(acceptedSchema.parse(await response.json()).signal_id);
    };
    const requests = Promise.allSettled(oneTo(200).map(request));
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(20), WAIT);
    await server.kill();
    await requests;
    expect(accepted.length).toBeLessThan(200);

    const signals = await database.signals.find({ userId: user._id }).lean();
    const events = await database.events
      .find({ stream: userStream(user._id) })
      .sort({ seq: 1 })
      .lean();
    const stored = signals.map((signal) => signal._id.toString());
    const published = events.map((event) => acceptedSchema.parse(event.data).signal_id);
    expect(events.map((event) => event.seq)).toEqual(oneTo(events.length));
    expect(published.toSorted()).toEqual(stored.toSorted());
    expect(stored).toEqual(expect.arrayContaining(accepted));
  }, 60_000);
});
