import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { startDatabaseRelay, type TcpRelay } from "@shared/testing/failing-database.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  API_PORT: 0,
};
const WAIT = { timeout: 20_000, interval: 20 };

describe("a server that loses the database", () => {
  let relay: TcpRelay;
  let throughRelay: Database;
  let direct: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  let user: UserRecord;
  let client: PushClient;

  beforeAll(async () => {
    const uri = newDatabaseUri();
    direct = await openDatabase({ uri });
    const relayed = await startDatabaseRelay(uri);
    relay = relayed.relay;
    throughRelay = await openDatabase({ uri: relayed.uri });
    const logger = createLogger({ service: "server", level: "silent" });
    server = await startServer({ settings, database: throughRelay, logger });
    user = await createUser(direct);
    client = new PushClient({
      url: `http://localhost:${server.port}`,
      token: signTokenFor(user, settings),
      since: { user: 0 },
    });
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), WAIT);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    await Promise.all([throughRelay.close(), direct.close()]);
  });

  const addEvent = () =>
    commit(direct, { lockKeys: userStream(user._id) }, async (uow) => {
      uow.addEvent(userStream(user._id), "history:cleared", {});
    });

  it("brings what others committed meanwhile, once the connection is back", async () => {
    await addEvent();
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
    await relay.cut();
    await addEvent();
    await addEvent();
    await relay.mend();
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3]), WAIT);
  }, 40_000);

  it("brings what others committed while the connection hung", async () => {
    relay.freeze();
    await addEvent();
    await addEvent();
    relay.thaw();
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3, 4, 5]), WAIT);
  }, 40_000);
});
