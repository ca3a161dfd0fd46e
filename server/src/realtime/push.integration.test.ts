import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  API_PORT: 0,
};
const logger = createLogger({ part: "server", level: "silent" });
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const WAIT = { timeout: 15_000, interval: 20 };

describe("push", () => {
  let uri: string;
  let database: Database;
  let other: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  let secondServer: Awaited<ReturnType<typeof startServer>>;
  const clients: PushClient[] = [];
  const sockets: Socket[] = [];

  beforeAll(async () => {
    uri = testDatabaseUri();
    database = await openDatabase({ uri });
    other = await openDatabase({ uri });
    server = await startServer({ settings, database, logger });
    secondServer = await startServer({ settings, database: other, logger });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    for (const socket of sockets.splice(0)) socket.close();
  });
  afterAll(async () => {
    await Promise.all([server.stop(), secondServer.stop()]);
    await Promise.all([database.close(), other.close()]);
  });

  const connect = async (
    user: UserRecord,
    options: { port?: number; since?: { user?: number; admins?: number } } = {},
  ): Promise<PushClient> => {
    const client = new PushClient({
      url: `http://localhost:${options.port ?? server.port}`,
      token: signTokenFor(user, settings),
      since: options.since,
    });
    clients.push(client);
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), WAIT);
    return client;
  };
  const tellUser = (user: UserRecord, from: Database = database, times = 1) =>
    commit(from, { lockKeys: userStream(user._id) }, async ({ session, addEvent }) => {
      const changed = await from.users.findOneAndUpdate(
        { _id: user._id },
        { $inc: { imageCredits: times } },
        { session, returnDocument: "after" },
      );
      const credits = changed?.imageCredits ?? -1;
      for (const count of oneTo(times)) {
        addEvent(userStream(user._id), "account:updated", {
          approved: true,
          role: "user",
          allow_image_upload: false,
          image_credits: credits - times + count,
          reason: "credits-granted",
        });
      }
    });

  it("brings 1,000 events of two processes in order, none missing, none twice, though the socket drops in the middle", async () => {
    const user = await createUser(database);
    const client = await connect(user, { since: { user: 0 } });
    const burst = oneTo(50).map((n) => tellUser(user, n % 2 === 0 ? database : other, 20));
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThan(200), WAIT);
    client.drop();
    await Promise.all(burst);
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThanOrEqual(1_000), WAIT);

    expect(client.seqs("user")).toEqual(oneTo(1_000));
    const stored = await database.users.findById(user._id).lean();
    expect(stored?.imageCredits).toBe(1_000);
    expect(client.received.at(-1)?.data).toMatchObject({ image_credits: 1_000 });
  }, 60_000);

  it("brings a change made through one server to a browser on another", async () => {
    const user = await createUser(database);
    const client = await connect(user, { port: secondServer.port });
    await tellUser(user, database);
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
  });

  it("pushes a user's events to all of their tabs and to no other user", async () => {
    const [user, stranger] = [await createUser(database), await createUser(database)];
    const tabs = [await connect(user), await connect(user)];
    const strangers = await connect(stranger);
    await tellUser(user);
    await tellUser(stranger);
    for (const client of [...tabs, strangers]) {
      await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
    }
    expect(strangers.received).toHaveLength(1);
  });

  it("shows admin events to admins only", async () => {
    const admin = await createUser(database, { role: "admin", approved: true });
    const user = await createUser(database);
    const [adminTab, userTab] = [await connect(admin), await connect(user)];
    await commit(database, { lockKeys: ADMINS_STREAM }, async ({ addEvent }) => {
      addEvent(ADMINS_STREAM, "user:deleted", { username: "somebody" });
    });
    await tellUser(user);
    await vi.waitFor(() => expect(adminTab.named("user:deleted")).toHaveLength(1), WAIT);
    await vi.waitFor(() => expect(userTab.seqs("user")).toEqual([1]), WAIT);
    expect(userTab.seqs("admins")).toEqual([]);
  });

  it("gives a returning client what it missed and asks it to resync when that is no longer kept", async () => {
    const user = await createUser(database);
    for (const _ of oneTo(5)) await tellUser(user);
    const returning = await connect(user, { since: { user: 2 } });
    await vi.waitFor(() => expect(returning.seqs("user")).toEqual([3, 4, 5]), WAIT);

    await database.events.deleteMany({ stream: userStream(user._id), seq: { $lte: 4 } });
    const tooLate = await connect(user, { since: { user: 2 } });
    await vi.waitFor(() => expect(tooLate.named("resync")).toHaveLength(1), WAIT);
    await tellUser(user);
    await vi.waitFor(() => expect(tooLate.seqs("user")).toEqual([5, 6]), WAIT);
  });

  it.each([
    ["no token", undefined],
    ["a bad token", "nonsense"],
  ])("refuses a socket with %s as unauthenticated", async (_, token) => {
    const client = new PushClient({ url: `http://localhost:${server.port}`, token: token ?? "" });
    clients.push(client);
    const refusal = new Promise<unknown>((resolve) => client.socket.once("connect_error", resolve));
    expect(await refusal).toMatchObject({ data: { code: "unauthenticated" } });
  });

  it("refuses a WebSocket of a page from another origin", async () => {
    const token = signTokenFor(await createUser(database), settings);
    const connectFrom = (origin: string) =>
      new Promise<string>((resolve) => {
        const socket = io(`http://localhost:${server.port}`, {
          ...{ auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false },
          extraHeaders: { Origin: origin },
        });
        socket.once("connect", () => resolve("connected"));
        socket.once("connect_error", () => resolve("refused"));
        sockets.push(socket);
      });
    const [allowed = ""] = settings.CLIENT_ORIGIN;
    expect(await connectFrom(allowed)).toBe("connected");
    expect(await connectFrom("https://evil.example")).toBe("refused");
    expect(await connectFrom("null")).toBe("refused");
  });

  it("tells a deleted user's sockets that their session has ended, and closes them", async () => {
    const user = await createUser(database);
    const tab = await connect(user);
    await commit(other, { lockKeys: ADMINS_STREAM }, async ({ endSessions }) => {
      endSessions({ userId: user._id.toString(), reason: "deleted" });
    });
    await vi.waitFor(() => expect(tab.socket.connected).toBe(false), WAIT);
    expect(tab.other).toEqual([{ name: "session:ended", payload: { reason: "deleted" } }]);
  });

  it("spares the session that an order excepts", async () => {
    const kept = newSession();
    const user = await createUser(database, { sessions: [newSession(), kept] });
    const spared = new PushClient({
      url: `http://localhost:${server.port}`,
      token: signTokenFor(user, settings, { sessionId: kept.id }),
    });
    clients.push(spared);
    const ended = await connect(user);
    await vi.waitFor(() => expect(spared.socket.connected).toBe(true), WAIT);
    await commit(database, { lockKeys: ADMINS_STREAM }, async ({ endSessions }) => {
      endSessions({
        userId: user._id.toString(),
        reason: "password-changed",
        exceptSessionId: kept.id,
      });
    });
    await vi.waitFor(() => expect(ended.socket.connected).toBe(false), WAIT);
    await tellUser(user);
    await vi.waitFor(() => expect(spared.seqs("user")).toEqual([1]), WAIT);
  });

  it("loses nothing when the server stops and another takes its place", async () => {
    const user = await createUser(database);
    const third = await startServer({ settings, database, logger });
    const client = await connect(user, { port: third.port, since: { user: 0 } });
    await tellUser(user);
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
    await third.stop();
    await tellUser(user);
    await tellUser(user);
    const fourth = await startServer({
      settings: { ...settings, API_PORT: third.port },
      database,
      logger,
    });
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3]), WAIT);
    await fourth.stop();
  });
});
