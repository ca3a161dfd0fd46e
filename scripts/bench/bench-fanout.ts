import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { envelopeSchema } from "@shared/contract/events.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { io, type Socket } from "socket.io-client";
import { until } from "../faults/harness/until.ts";
import { percentile, printTable } from "./lib/report.ts";
import { type BenchOptions, residentBytes, startProduct } from "./lib/start-product.ts";

const SOCKETS = [1_000, 5_000];
const EVENTS = 20;
const HANDSHAKES_AT_ONCE = 50;
const OPTIONS = { transports: ["websocket"], forceNew: true, timeout: 60_000 };

/** Measures one event on its way to many sockets. All belong to administrators, so that each gets every event. */
export async function benchFanout(options: BenchOptions): Promise<void> {
  const rows = [];
  for (const sockets of SOCKETS) rows.push(await measureFanout(sockets, options));
  printTable(`Fan-out: ${EVENTS} events, each to all sockets of one server`, rows);
}

async function measureFanout(count: number, { database, uri }: BenchOptions) {
  const { apiUrl, server, settings, stop } = await startProduct({ uri, workers: 0 });
  const tokens: string[] = [];
  while (tokens.length * MAX_SOCKETS_PER_USER < count) {
    tokens.push(signTokenFor(await createUser(database, { role: "admin" }), settings));
  }
  const lags: number[] = [];
  const sockets: Socket[] = [];
  const openSockets = async () => {
    while (sockets.length < count) {
      const token = tokens[sockets.length % tokens.length];
      const socket = io(apiUrl, { ...OPTIONS, auth: { token } });
      sockets.push(socket);
      socket.on("user:deleted", (payload: unknown) => {
        lags.push(Date.now() - Date.parse(envelopeSchema.parse(payload).at));
      });
      await new Promise<void>((resolve) => socket.once("connect", resolve));
    }
  };
  try {
    const before = await residentBytes(server.pid);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: HANDSHAKES_AT_ONCE }, openSockets));
    const openedMs = performance.now() - startedAt;
    const after = await residentBytes(server.pid);
    for (let sent = 1; sent <= EVENTS; sent++) {
      await commit(database, { lockKeys: ADMINS_STREAM }, async ({ addEvent }) => {
        addEvent(ADMINS_STREAM, "user:deleted", { username: "somebody" });
      });
      await until(() => lags.length >= sent * count, { what: "an event on all sockets" });
    }
    return {
      sockets: count,
      "p50, ms": percentile(lags, 0.5),
      "p99, ms": percentile(lags, 0.99),
      "memory of a socket, KB": (after - before) / 1_024 / count,
      "handshakes/s": (count / openedMs) * 1_000,
    };
  } finally {
    for (const socket of sockets) socket.close();
    await stop();
  }
}
