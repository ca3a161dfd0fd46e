import { createServer, get, type IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createLogger } from "@shared/runtime/logger.ts";
import { listenLocally } from "@shared/testing/fakes/fake-http.ts";
import { Server } from "socket.io";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { Connections } from "./push-server.ts";
import type { Connection } from "./send-buffer.ts";

const logger = createLogger({ service: "server", level: "silent" });
const PATIENT = { maxBytes: 1_000_000, drainTimeoutMs: 60_000 };
const IMPATIENT = { maxBytes: 1_000_000, drainTimeoutMs: 20 };
const TEXT = "x".repeat(50_000);
const PATH = "/socket.io/?EIO=4&transport=";

async function startServer(limits: typeof PATIENT) {
  const http = createServer();
  const io = new Server(http);
  const connections = new Connections({
    logger,
    limits,
    networkOf: () => "a network",
    maxPerNetwork: 10,
  });
  connections.follow(io);
  const opened = new Promise<Connection>((resolve) => io.engine.once("connection", resolve));
  const url = `http://127.0.0.1:${await listenLocally(http)}${PATH}`;
  onTestFinished(() => io.close());
  return {
    url,
    close: (connection: Connection) => connections.close(connection),
    openConnections: () => promisify(http.getConnections.bind(http))(),
    /** The connection that is opened first. */
    async connection() {
      const connection = await opened;
      return { connection, buffer: connections.bufferOf(connection) };
    },
  };
}

async function connectWithoutReading(url: string): Promise<WebSocket> {
  const client = new WebSocket(`${url.replace("http", "ws")}websocket`);
  onTestFinished(() => client.terminate());
  await new Promise((resolve) => client.once("open", resolve));
  client.pause();
  return client;
}

/** @returns the address to poll */
async function startPolling(url: string): Promise<string> {
  const opened = await fetch(`${url}polling`);
  const { sid } = z.object({ sid: z.string() }).parse(JSON.parse((await opened.text()).slice(1)));
  return `${url}polling&sid=${sid}`;
}

/** The operating systems of both ends take some of it. */
async function fill({
  connection,
  buffer,
}: {
  connection: Connection;
  buffer: { isFull: boolean };
}) {
  while (!buffer.isFull) {
    connection.send(TEXT);
    await setImmediate();
  }
}

test("a connection is full while its client reads nothing, and no longer once it reads", async () => {
  const server = await startServer(PATIENT);
  const client = await connectWithoutReading(server.url);
  const { connection, buffer } = await server.connection();
  await fill({ connection, buffer });
  const drained = buffer.drained();
  client.resume();
  await drained;
  expect(buffer.isFull).toBe(false);
  expect(connection.readyState).toBe("open");
});

test("a client that reads nothing in time is disconnected", async () => {
  const server = await startServer(IMPATIENT);
  const client = await connectWithoutReading(server.url);
  const { connection, buffer } = await server.connection();
  await fill({ connection, buffer });
  await buffer.drained();
  expect(connection.readyState).toBe("closed");
  // Although it does not even read that it is closed.
  await vi.waitFor(async () => expect(await server.openConnections()).toBe(0), 5_000);
  expect(client.readyState).toBe(WebSocket.OPEN);
});

test("a connection that is closed does not wait for a client that reads nothing", async () => {
  const server = await startServer(PATIENT);
  await connectWithoutReading(server.url);
  const { connection, buffer } = await server.connection();
  await fill({ connection, buffer });
  server.close(connection);
  await vi.waitFor(async () => expect(await server.openConnections()).toBe(0), 5_000);
});

test("a client that sends without reading the answers is disconnected", async () => {
  const server = await startServer({ ...PATIENT, maxBytes: 100_000 });
  const client = await connectWithoutReading(server.url);
  const { connection } = await server.connection();
  while (connection.readyState === "open") {
    client.send(`40/${"x".repeat(15_000)},`);
    await setImmediate();
  }
});

test("a connection is full while its client does not poll, and no longer after a poll", async () => {
  const server = await startServer(PATIENT);
  const address = await startPolling(server.url);
  const { connection, buffer } = await server.connection();
  await fill({ connection, buffer });
  const drained = buffer.drained();
  const polled = await fetch(address);
  expect((await polled.text()).length).toBeGreaterThan(PATIENT.maxBytes);
  await drained;
  expect(buffer.isFull).toBe(false);
});

test("a poll is refused while the response to the last one is unread", async () => {
  const server = await startServer({ ...PATIENT, maxBytes: 100_000_000 });
  const address = await startPolling(server.url);
  const { connection } = await server.connection();
  connection.send("x".repeat(20_000_000));
  const unread = await new Promise<IncomingMessage>((resolve) => get(address, resolve));
  onTestFinished(() => void unread.destroy());
  connection.send("the next message");
  await expect(fetch(address)).rejects.toThrow("fetch failed");
  let bytes = 0;
  for await (const chunk of unread) bytes += z.instanceof(Buffer).parse(chunk).length;
  expect(bytes).toBeGreaterThan(20_000_000);
  await vi.waitFor(
    async () => {
      expect(await (await fetch(address)).text()).toContain("the next message");
    },
    { timeout: 30_000 },
  );
});
