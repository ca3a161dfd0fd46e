import { createServer } from "node:http";
import type { SessionEndReason } from "@shared/contract/events.ts";
import { openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser } from "@shared/testing/factories.ts";
import { listenLocally } from "@shared/testing/fakes/fake-http.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";
import { expect, onTestFinished, test } from "vitest";
import { unauthenticated } from "../http/errors.ts";
import { sessionOf } from "../testing/session-of.ts";
import { Connections } from "./push-server.ts";
import { PushSession } from "./push-session.ts";

const logger = createLogger({ service: "server", level: "silent" });
const settings = loadSettings({
  JWT_SECRET: "a secret of tests, longer than 32 characters",
  ADMIN_PASSWORD: "never used",
});
const sessionId = "a session";

/** A socket that is opened while the database says that its session has ended. */
async function openEndedSession(reasonInLog?: SessionEndReason): Promise<Socket> {
  const database = await openDatabase({ uri: testDatabaseUri() });
  const user = await createUser(database);
  await database.close();
  const http = createServer();
  const server = new Server(http);
  const connections = new Connections({ logger, networkOf: () => "", maxPerNetwork: 10 });
  connections.follow(server);
  const url = `http://127.0.0.1:${await listenLocally(http)}`;
  const client = io(url, { transports: ["websocket"], reconnection: false });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  await new Promise<void>((resolve) => {
    server.on("connection", (socket) => {
      const opened = new PushSession({
        socket,
        session: sessionOf(user, sessionId),
        resume: () => {
          resolve();
          return Promise.reject(unauthenticated());
        },
        readEnds: (userId) =>
          Promise.resolve(reasonInLog ? [{ userId, reason: reasonInLog, sessionId }] : []),
        log: { head: () => Promise.resolve(0), readAfter: () => Promise.resolve([]) },
        buffer: connections.bufferOf(socket.conn),
        deps: { logger, settings, now: () => new Date() },
        prices: { recheck: () => undefined, close: () => undefined },
      });
      socket.once("disconnect", () => opened.close());
      opened.open(undefined);
    });
  });
  return client;
}

test("a socket receives the reason why its session has ended, also before the feed brings the reason", async () => {
  const client = await openEndedSession("logged-out");
  const ended = new Promise((resolve) => client.once("session:ended", resolve));
  const disconnected = new Promise((resolve) => client.once("disconnect", resolve));
  expect(await ended).toEqual({ reason: "logged-out" });
  expect(await disconnected).toBe("io server disconnect");
});

test("a socket whose session ended earlier is closed soon", async () => {
  const client = await openEndedSession();
  const reason = await new Promise((resolve) => client.once("disconnect", resolve));
  expect(reason).toBe("transport close");
});
