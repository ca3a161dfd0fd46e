import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { envelopeSchema } from "@shared/contract/events.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { commitOutcome } from "../../../worker/src/outcomes/commit-outcome.ts";
import { endSessions } from "../http/session-ends.ts";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  API_PORT: 0,
};
const logger = createLogger({ service: "server", level: "silent" });
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const WAIT = { timeout: 15_000, interval: 50 };
const PATH = "/socket.io/?EIO=4&transport=";

/** Starts to connect by polling. */
async function pollFirst(port: number, headers: Record<string, string>): Promise<number> {
  return (await fetch(`http://localhost:${port}${PATH}polling`, { headers })).status;
}

/** A socket that can stop reading. Keeps the numbers of its events. */
function openRawSocket(port: number, auth: object) {
  const socket = new WebSocket(`ws://localhost:${port}${PATH}websocket`);
  const seqs: number[] = [];
  socket.on("message", (data) => {
    const message = z.instanceof(Buffer).parse(data).toString();
    if (message.startsWith("0")) socket.send(`40${JSON.stringify(auth)}`);
    if (message.startsWith("42")) {
      const [, payload] = z.tuple([z.string(), envelopeSchema]).parse(JSON.parse(message.slice(2)));
      seqs.push(payload.seq);
    }
  });
  return { socket, seqs };
}

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
  const notifyUser = (user: UserRecord, from: Database = database, times = 1) =>
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

  it("brings 500 events of two processes in order, none missing, none twice, though the socket drops in the middle", async () => {
    const user = await createUser(database);
    const client = await connect(user, { since: { user: 0 } });
    const burst = oneTo(25).map((n) => notifyUser(user, n % 2 === 0 ? database : other, 20));
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThan(100), WAIT);
    client.drop();
    await Promise.all(burst);
    await vi.waitFor(() => expect(client.received.length).toBeGreaterThanOrEqual(500), WAIT);

    expect(client.seqs("user")).toEqual(oneTo(500));
    const stored = await database.users.findById(user._id).lean();
    expect(stored?.imageCredits).toBe(500);
    expect(client.received.at(-1)?.data).toMatchObject({ image_credits: 500 });
  }, 60_000);

  it("brings a change made through one server to a browser on another", async () => {
    const user = await createUser(database);
    const client = await connect(user, { port: secondServer.port });
    await notifyUser(user, database);
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
  });

  it("brings the branding that an administrator saves to every browser", async () => {
    const admin = await createUser(database, { role: "admin", approved: true });
    const tabs = [
      await connect(await createUser(database)),
      await connect(admin, { port: secondServer.port }),
    ];
    const saved = await fetch(`http://localhost:${server.port}/admin/branding`, {
      method: "PUT",
      headers: {
        Authorization: `Bearer ${signTokenFor(admin, settings)}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ product_name: "Northwind Signals" }),
    });
    expect(saved.status).toBe(200);
    const payload = expect.objectContaining({ product_name: "Northwind Signals" });
    for (const { other } of tabs) {
      await vi.waitFor(() => expect(other).toContainEqual({ name: "branding", payload }), WAIT);
    }
  });

  it("pushes a user's events to all of their tabs and to no other user", async () => {
    const user = await createUser(database);
    const stranger = await createUser(database);
    const tabs = [await connect(user), await connect(user)];
    const strangers = await connect(stranger);
    await notifyUser(user);
    await notifyUser(stranger);
    for (const client of [...tabs, strangers]) {
      await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
    }
    expect(strangers.received).toHaveLength(1);
  });

  it("pushes the fill of a trade before its outcome, to everyone who has the signal", async () => {
    const users = [await createUser(database), await createUser(database)];
    const tabs = await Promise.all(users.map((user) => connect(user)));
    const [first, second] = users;
    if (!first || !second) throw new Error("there are no users");
    const at = new Date();
    const { market, outcome: _, ...trade } = resolvedTrade({ at, outcome: "WIN", resolvedAt: at });
    const [signal] = await createSignals(database, first, trade);
    if (!signal || !market?.resolution) throw new Error("there is no trade");
    const { analysisId } = signal;
    await createSignals(database, second, { ...trade, analysisId, withAnalysis: false });
    const resolved = { resolution: market.resolution, candles: [] };
    await commitOutcome({ database, now: () => at }, { analysisId }, resolved);
    for (const tab of tabs) {
      await vi.waitFor(() => expect(tab.seqs("user")).toEqual([1, 2]), WAIT);
      expect(tab.received.map(({ name }) => name)).toEqual(["signal:filled", "signal:outcome"]);
      const fill = { price: 100, filled_at: at.toISOString() };
      expect(tab.received[0]?.data).toMatchObject(fill);
    }
  });

  it("shows admin events to admins only", async () => {
    const admin = await createUser(database, { role: "admin", approved: true });
    const user = await createUser(database);
    const adminTab = await connect(admin);
    const userTab = await connect(user);
    await commit(database, { lockKeys: ADMINS_STREAM }, async ({ addEvent }) => {
      addEvent(ADMINS_STREAM, "user:deleted", { username: "somebody" });
    });
    await notifyUser(user);
    await vi.waitFor(() => expect(adminTab.named("user:deleted")).toHaveLength(1), WAIT);
    await vi.waitFor(() => expect(userTab.seqs("user")).toEqual([1]), WAIT);
    expect(userTab.seqs("admins")).toEqual([]);
  });

  it("gives a returning client what it missed and asks it to resync when that is no longer kept", async () => {
    const user = await createUser(database);
    for (const _ of oneTo(5)) await notifyUser(user);
    const returning = await connect(user, { since: { user: 2 } });
    await vi.waitFor(() => expect(returning.seqs("user")).toEqual([3, 4, 5]), WAIT);

    await database.events.deleteMany({ stream: userStream(user._id), seq: { $lte: 4 } });
    const tooLate = await connect(user, { since: { user: 2 } });
    await vi.waitFor(() => expect(tooLate.named("resync")).toHaveLength(1), WAIT);
    await notifyUser(user);
    await vi.waitFor(() => expect(tooLate.seqs("user")).toEqual([5, 6]), WAIT);
  });

  it("stops sending while a client does not read, and gives it everything in order once it does", async () => {
    const stored = 120;
    const user = await createUser(database, { lastEventSeq: stored });
    const name = "history:cleared";
    const data = { text: "x".repeat(100_000) };
    const at = new Date();
    const stream = userStream(user._id);
    await database.events.insertMany(oneTo(stored).map((seq) => ({ stream, seq, name, data, at })));
    const auth = { token: signTokenFor(user, settings), since: { user: 0 } };
    const { socket, seqs } = openRawSocket(server.port, auth);
    onTestFinished(() => socket.terminate());
    await vi.waitFor(() => expect(seqs).not.toEqual([]), WAIT);
    socket.pause();
    await notifyUser(user, database, 3);
    const elsewhere = await connect(user, { since: { user: stored } });
    await vi.waitFor(() => expect(elsewhere.received).toHaveLength(3), WAIT);
    expect(seqs.length).toBeLessThan(stored);
    socket.resume();
    await vi.waitFor(() => expect(seqs).toEqual(oneTo(stored + 3)), WAIT);
  });

  it("closes the oldest socket of a user who opens too many, sends the reason, and leaves others open", async () => {
    const user = await createUser(database);
    const stranger = await createUser(database);
    const strangers = await connect(stranger);
    const oldest = await connect(user);
    const others: PushClient[] = [];
    for (const _ of oneTo(MAX_SOCKETS_PER_USER)) others.push(await connect(user));
    await vi.waitFor(() => expect(oldest.socket.connected).toBe(false), WAIT);
    expect(oldest.other).toEqual([
      { name: "socket:closed", payload: { reason: "too-many-sockets" } },
    ]);
    expect(oldest.socket.active).toBe(false);
    await notifyUser(user);
    for (const other of others) {
      await vi.waitFor(() => expect(other.seqs("user")).toEqual([1]), WAIT);
    }
    expect(strangers.socket.connected).toBe(true);
  });

  const startLimited = async (changes: Partial<typeof settings>): Promise<number> => {
    const limited = { ...settings, MAX_SOCKETS_PER_ADDRESS: 2, ...changes };
    const { port, stop } = await startServer({ settings: limited, database, logger });
    onTestFinished(stop);
    return port;
  };
  const from = (addresses: string) => ({ "X-Forwarded-For": addresses });

  it("limits the sockets of an address, whatever addresses the client claims", async () => {
    const port = await startLimited({});
    expect(await pollFirst(port, from("203.0.113.1"))).toBe(200);
    const client = await connect(await createUser(database), { port });
    expect(await pollFirst(port, from("203.0.113.2"))).toBe(403);
    client.close();
    await vi.waitFor(async () => expect(await pollFirst(port, {})).toBe(200), WAIT);
  });

  it("takes the address from a trusted proxy, and nothing that the client has put before it", async () => {
    const port = await startLimited({ TRUSTED_PROXIES: 1 });
    expect(await pollFirst(port, from("203.0.113.1, 198.51.100.7"))).toBe(200);
    expect(await pollFirst(port, from("203.0.113.2, 198.51.100.7"))).toBe(200);
    expect(await pollFirst(port, from("203.0.113.3, 198.51.100.7"))).toBe(403);
    expect(await pollFirst(port, from("203.0.113.3, 198.51.100.8"))).toBe(200);
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

  it("refuses a socket of a page from another origin, also by polling", async () => {
    const token = signTokenFor(await createUser(database), settings);
    const connectFrom = (origin: string) =>
      new Promise<string>((resolve) => {
        const socket = io(`http://localhost:${server.port}`, {
          auth: { token },
          transports: ["websocket"],
          forceNew: true,
          reconnection: false,
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
    expect(await pollFirst(server.port, { Origin: allowed })).toBe(200);
    expect(await pollFirst(server.port, { Origin: "https://evil.example" })).toBe(403);
  });

  it("sends a deleted user's sockets the end of their session, and closes them", async () => {
    const user = await createUser(database);
    const tab = await connect(user);
    await commit(other, { lockKeys: ADMINS_STREAM }, async (uow) => {
      endSessions(uow, { userId: user._id.toString(), reason: "deleted" });
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
    await commit(database, { lockKeys: ADMINS_STREAM }, async (uow) => {
      endSessions(uow, {
        userId: user._id.toString(),
        reason: "password-changed",
        exceptSessionId: kept.id,
      });
    });
    await vi.waitFor(() => expect(ended.socket.connected).toBe(false), WAIT);
    await notifyUser(user);
    await vi.waitFor(() => expect(spared.seqs("user")).toEqual([1]), WAIT);
  });

  it("loses nothing when the server stops and another takes its place", async () => {
    const user = await createUser(database);
    const third = await startServer({ settings, database, logger });
    const client = await connect(user, { port: third.port, since: { user: 0 } });
    await notifyUser(user);
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1]), WAIT);
    await third.stop();
    await notifyUser(user);
    await notifyUser(user);
    const fourth = await startServer({
      settings: { ...settings, API_PORT: third.port },
      database,
      logger,
    });
    await vi.waitFor(() => expect(client.seqs("user")).toEqual([1, 2, 3]), WAIT);
    await fourth.stop();
  });
});
