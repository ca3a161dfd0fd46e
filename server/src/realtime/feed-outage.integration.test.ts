import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, readStreamHead, userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { startDatabaseRelay, type TcpRelay } from "@shared/testing/failing-database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { endSessions } from "../http/session-ends.ts";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  API_PORT: 0,
};
const WAIT = { timeout: 20_000, interval: 50 };

describe("a server that loses the database", () => {
  let relay: TcpRelay;
  let throughRelay: Database;
  let direct: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  let user: UserRecord;
  let client: PushClient;

  beforeAll(async () => {
    const uri = testDatabaseUri();
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
    await relay.restore();
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3]), WAIT);
  }, 40_000);

  it("brings what others committed while the connection hung", async () => {
    relay.freeze();
    await addEvent();
    await addEvent();
    relay.thaw();
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3, 4, 5]), WAIT);
  }, 40_000);

  describe.each([
    ["was cut off until it gave up", true],
    ["hung and then went on", false],
  ])("and %s", (_, isCut) => {
    const clients: PushClient[] = [];
    afterEach(() => {
      for (const each of clients.splice(0)) each.close();
    });

    const connect = async (as: UserRecord): Promise<PushClient> => {
      // Without a position, the stream is followed from a moment after the connection on.
      const admins = await readStreamHead(direct, ADMINS_STREAM);
      const opened = new PushClient({
        url: `http://localhost:${server.port}`,
        token: signTokenFor(as, settings),
        since: { user: 0, admins },
        // What the socket gets that was open all the time.
        reconnectionDelay: 60_000,
        reconnectionDelayMax: 60_000,
      });
      clients.push(opened);
      await vi.waitFor(() => expect(opened.socket.connected).toBe(true), WAIT);
      return opened;
    };
    const addTo = (stream: string) =>
      commit(direct, { lockKeys: stream }, (uow) => uow.addEvent(stream, "history:cleared", {}));
    const isReady = async () => (await fetch(`http://localhost:${server.port}/readyz`)).status;
    /** The state of the database that the server sees only afterwards. */
    const changeMeanwhile = async (change: () => Promise<unknown>) => {
      if (isCut) await relay.cut();
      else relay.freeze();
      const startedMs = performance.now();
      await change();
      if (isCut) await vi.waitFor(async () => expect(await isReady()).toBe(503), WAIT);
      // Longer than an idle feed is silent.
      await vi.waitUntil(() => performance.now() - startedMs > 4_000, WAIT);
      if (isCut) await relay.restore();
      else relay.thaw();
    };
    const endAll = ({ _id }: UserRecord, role: "user" | "admin") =>
      commit(direct, { lockKeys: `sessions:${_id}` }, async (uow) => {
        const update = { $set: { sessions: [], role } };
        await direct.users.updateOne({ _id }, update, { session: uow.session });
        endSessions(uow, { userId: _id.toString(), reason: "role-changed" });
      });

    it("pushes nothing to sessions that ended meanwhile, shows them the reason, and serves all others", async () => {
      const demoted = await createUser(direct, { role: "admin" });
      const keeping = await createUser(direct, { role: "admin" });
      const [ofDemoted, ofKeeping] = [await connect(demoted), await connect(keeping)];
      const lost = new Promise((resolve) => ofDemoted.socket.once("disconnect", resolve));
      await addTo(ADMINS_STREAM);
      await vi.waitFor(() => expect(ofDemoted.seqs("admins")).toHaveLength(1), WAIT);
      await changeMeanwhile(async () => {
        await addTo(userStream(demoted._id));
        await endAll(demoted, "user");
        await addTo(ADMINS_STREAM);
        await addTo(userStream(demoted._id));
        await addTo(userStream(keeping._id));
      });
      await vi.waitFor(() => expect(ofKeeping.seqs("user")).toEqual([1]), WAIT);
      await addTo(ADMINS_STREAM);
      await vi.waitFor(() => expect(ofKeeping.seqs("admins")).toHaveLength(3), WAIT);
      expect(await lost).toBe("io server disconnect");
      expect(ofDemoted.received).toHaveLength(1);
      expect(ofDemoted.other).toEqual([
        { name: "session:ended", payload: { reason: "role-changed" } },
      ]);
    }, 60_000);

    it("pushes no events for administrators to whom they are no longer shown", async () => {
      const demoted = await createUser(direct, { role: "admin" });
      const ofDemoted = await connect(demoted);
      await addTo(ADMINS_STREAM);
      await vi.waitFor(() => expect(ofDemoted.seqs("admins")).toHaveLength(1), WAIT);
      await changeMeanwhile(async () => {
        await direct.users.updateOne({ _id: demoted._id }, { $set: { role: "user" } });
        await addTo(ADMINS_STREAM);
        await addTo(userStream(demoted._id));
      });
      await vi.waitFor(() => expect(ofDemoted.seqs("user")).toEqual([1]), WAIT);
      await addTo(ADMINS_STREAM);
      await addTo(userStream(demoted._id));
      await vi.waitFor(() => expect(ofDemoted.seqs("user")).toEqual([1, 2]), WAIT);
      expect(ofDemoted.seqs("admins")).toHaveLength(1);
    }, 60_000);
  });
});
