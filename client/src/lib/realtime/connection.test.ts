import { createServer } from "node:http";
import type { Me } from "@shared/contract/account.ts";
import type { SocketAuth } from "@shared/contract/events.ts";
import { Server } from "socket.io";
import { expect, onTestFinished, test, vi } from "vitest";
import { LiveConnection } from "./connection.ts";
import type { LiveEvent } from "./events.ts";
import { initialLiveState, useRealtime } from "./store.ts";

const at = "2025-11-21T12:00:00.000Z";
const envelope = (seq: number, data: object = {}) => ({ stream: "user", seq, at, data });
const queued = (id: string) => ({ signal_id: id, symbol: "BTC/USDT", timeframe: "1h" });

const meAt = (position: number): Me => ({
  username: "ann",
  email: "ann@example.com",
  email_verified: true,
  role: "user",
  approved: true,
  allow_image_upload: false,
  image_credits: 0,
  subscription: null,
  payment_proof: null,
  two_factor: { enabled: false, recovery_codes_left: 0 },
  stream_positions: { user: position },
});

/** A real Socket.IO server that accepts one token and hands each handshake to `onConnect`. */
async function startServer(
  onConnect: (input: { io: Server; auth: SocketAuth; count: number }) => void,
  { basePath = "" }: { basePath?: string } = {},
) {
  const http = createServer();
  const io = new Server(http, { path: `${basePath}/socket.io` });
  let count = 0;
  io.use((socket, next) => {
    const refusal = Object.assign(new Error("refused"), { data: { code: "unauthenticated" } });
    next(socket.handshake.auth.token === "good" ? undefined : refusal);
  });
  io.on("connection", (socket) => {
    count += 1;
    const { token, since } = socket.handshake.auth;
    onConnect({ io, auth: { token, since }, count });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await io.close();
  });
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { io, apiUrl: `http://127.0.0.1:${address.port}${basePath}` };
}

/** A connection to such a server, and what it reports. */
function connect(apiUrl: string, change: { token?: string; readMe?: () => Promise<Me> } = {}) {
  const store = useRealtime;
  store.setState(initialLiveState);
  const signalIds: string[] = [];
  const onEvent = vi.fn((event: LiveEvent) => {
    if (event.name === "signal:queued") signalIds.push(event.data.signal_id);
  });
  const callbacks = { onEvent, onStale: vi.fn(), onEnded: vi.fn() };
  const readMe = change.readMe ?? (async () => meAt(5));
  const connection = new LiveConnection({
    apiUrl,
    token: change.token ?? "good",
    readMe,
    ...callbacks,
  });
  onTestFinished(() => connection.stop());
  return { store, signalIds, ...callbacks };
}

const until = async (isReached: () => boolean) => {
  while (!isReached()) await new Promise(setImmediate);
};

/** Replaces the window, which receives what the user and the network do. */
function stubBrowser(): EventTarget {
  const browser = new EventTarget();
  vi.stubGlobal("addEventListener", browser.addEventListener.bind(browser));
  onTestFinished(() => void vi.unstubAllGlobals());
  return browser;
}

test("it joins at the position of the account and applies events once and in order", async () => {
  const sinces: unknown[] = [];
  const { apiUrl } = await startServer(({ io, auth }) => {
    sinces.push(auth.since);
    io.emit("signal:queued", envelope(5, queued("old")));
    io.emit("signal:queued", envelope(6, queued("a")));
    io.emit("signal:queued", envelope(6, queued("again")));
    io.emit("signal:queued", envelope(7, queued("b")));
  });
  const { store, signalIds, onEvent } = connect(apiUrl);
  await vi.waitFor(() => expect(signalIds).toEqual(["a", "b"]), { timeout: 30_000 });
  expect(sinces).toEqual([{ user: 5 }]);
  expect(onEvent).toHaveBeenCalledTimes(2);
  expect(store.getState()).toMatchObject({ connection: "online", ready: true });
});

test("it finds the server behind a proxy that serves it below a path", async () => {
  const { apiUrl } = await startServer(() => undefined, { basePath: "/api" });
  const { store } = connect(apiUrl);
  await vi.waitFor(() => expect(store.getState().connection).toBe("online"), { timeout: 30_000 });
});

test("a gap is filled by reconnecting from the last event applied", async () => {
  const { apiUrl } = await startServer(({ io, auth, count }) => {
    if (count === 1) {
      io.emit("signal:queued", envelope(6, queued("a")));
      io.emit("signal:queued", envelope(8, queued("c")));
      return;
    }
    for (let seq = (auth.since?.user ?? 0) + 1; seq <= 8; seq += 1) {
      io.emit("signal:queued", envelope(seq, queued(`event-${seq}`)));
    }
  });
  const { signalIds, onStale } = connect(apiUrl);
  await vi.waitFor(() => expect(signalIds).toEqual(["a", "event-7", "event-8"]), {
    timeout: 30_000,
  });
  expect(onStale).not.toHaveBeenCalled();
});

test("a gap that remains has the state read again, and events continue after it", async () => {
  const { io, apiUrl } = await startServer((server) => {
    server.io.emit("signal:queued", envelope(8, queued("c")));
  });
  const { signalIds, onStale } = connect(apiUrl);
  await vi.waitFor(() => expect(onStale).toHaveBeenCalledOnce(), { timeout: 30_000 });
  io.emit("signal:queued", envelope(9, queued("d")));
  await vi.waitFor(() => expect(signalIds).toEqual(["d"]), { timeout: 30_000 });
});

test("on resync everything is read again and events continue from its number", async () => {
  const { io, apiUrl } = await startServer((server) => {
    server.io.emit("signal:queued", envelope(6, queued("a")));
    server.io.emit("resync", envelope(90));
  });
  const { signalIds, onStale } = connect(apiUrl);
  await vi.waitFor(() => expect(onStale).toHaveBeenCalledOnce(), { timeout: 30_000 });
  io.emit("signal:queued", envelope(91, queued("z")));
  await vi.waitFor(() => expect(signalIds).toEqual(["a", "z"]), { timeout: 30_000 });
});

test("an unknown event has the state read again", async () => {
  const { apiUrl } = await startServer(({ io }) => {
    io.emit("signal:dreamt", envelope(6));
    io.emit("signal:queued", envelope(7, queued("b")));
  });
  const { signalIds, onStale } = connect(apiUrl);
  await vi.waitFor(() => expect(signalIds).toEqual(["b"]), { timeout: 30_000 });
  expect(onStale).toHaveBeenCalledOnce();
});

test("after a disconnect by the server it reconnects from the last event applied", async () => {
  const sinces: unknown[] = [];
  const { apiUrl } = await startServer(({ io, auth, count }) => {
    sinces.push(auth.since);
    if (count > 1) return;
    io.emit("signal:queued", envelope(6, queued("a")));
    io.disconnectSockets(true);
  });
  connect(apiUrl);
  await vi.waitFor(() => expect(sinces).toEqual([{ user: 5 }, { user: 6 }]), 5_000);
});

/** With fake timers: `GET /me` is answered, and the tasks that follow have run. */
async function untilConnecting(store: typeof useRealtime): Promise<void> {
  await until(() => vi.advanceTimersByTime(0) && store.getState().ready);
  vi.advanceTimersByTime(0);
}

test("a tab whose socket is closed for a newer one connects again only when it is used", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const browser = stubBrowser();
  const sinces: unknown[] = [];
  const { apiUrl } = await startServer(({ io, auth, count }) => {
    sinces.push(auth.since);
    if (count > 1) return;
    io.emit("signal:queued", envelope(6, queued("a")));
    io.emit("socket:closed", { reason: "too-many-sockets" });
    io.disconnectSockets();
  });
  const { store } = connect(apiUrl);
  await untilConnecting(store);
  await until(() => store.getState().connection === "paused");
  vi.advanceTimersByTime(600_000);
  browser.dispatchEvent(new Event("online"));
  expect(sinces).toEqual([{ user: 5 }]);
  browser.dispatchEvent(new Event("pointerdown"));
  await until(() => store.getState().connection === "online");
  expect(sinces).toEqual([{ user: 5 }, { user: 6 }]);
});

test("a session ended by the server is reported with its reason", async () => {
  const { apiUrl } = await startServer(({ io }) => {
    io.emit("session:ended", { reason: "deleted" });
  });
  const { onEnded } = connect(apiUrl);
  await vi.waitFor(() => expect(onEnded).toHaveBeenCalledExactlyOnceWith("deleted"), {
    timeout: 30_000,
  });
});

test("a token that the socket refuses ends the session", async () => {
  const { apiUrl } = await startServer(() => undefined);
  const { onEnded } = connect(apiUrl, { token: "stale" });
  await vi.waitFor(() => expect(onEnded).toHaveBeenCalledExactlyOnceWith("expired"), {
    timeout: 30_000,
  });
});

test("while the account cannot be read, screens do not wait; once it can, they read again", async () => {
  const { apiUrl } = await startServer(() => undefined);
  let failures = 1;
  const readMe = async () => {
    if (failures-- > 0) throw new Error("no network");
    return meAt(5);
  };
  const { store, onStale } = connect(apiUrl, { readMe });
  await vi.waitFor(
    () => {
      expect(store.getState()).toMatchObject({ connection: "offline", ready: true });
    },
    { timeout: 30_000 },
  );
  await vi.waitFor(() => expect(store.getState().connection).toBe("online"), 5_000);
  expect(onStale).toHaveBeenCalledOnce();
});

test("once the browser is online again it reconnects at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const browser = stubBrowser();
  const { io, apiUrl } = await startServer(() => undefined);
  const { store } = connect(apiUrl);
  await untilConnecting(store);
  await until(() => store.getState().connection === "online");
  for (const socket of io.sockets.sockets.values()) socket.conn.close();
  await until(() => store.getState().connection === "offline");
  browser.dispatchEvent(new Event("online"));
  await until(() => store.getState().connection === "online");
});
