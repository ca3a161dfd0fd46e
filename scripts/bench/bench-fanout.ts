import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { z } from "zod";
import { percentile, printTable } from "./lib/report.ts";
import { type BenchOptions, residentBytes, startProduct } from "./lib/start-product.ts";

const SOCKETS = [1_000, 5_000];
const EVENTS = 20;
const CLIENTS = fileURLToPath(new URL("socket-clients.ts", import.meta.url));

/**
 * Measures one event on its way to many sockets of one server: from the moment before its commit until a socket in another
 * process has received it. All sockets belong to one user, so that each gets every event.
 */
export async function benchFanout(options: BenchOptions): Promise<void> {
  const rows = [];
  for (const sockets of SOCKETS) rows.push(await measureFanout(sockets, options));
  printTable(`Fan-out: ${EVENTS} events, each to all sockets of one server`, rows);
}

async function measureFanout(sockets: number, { database, uri }: BenchOptions) {
  const product = await startProduct({ uri, workers: 0 });
  const user = await createUser(database, { approved: true });
  const stream = userStream(user._id);
  const before = await residentBytes(product.server.pid);
  const startedAt = performance.now();
  const clients = fork(CLIENTS, {
    execArgv: ["--import", "tsx"],
    env: {
      PATH: process.env.PATH,
      API_URL: product.apiUrl,
      TOKEN: signTokenFor(user, product.settings),
      COUNT: String(sockets),
    },
  });
  try {
    await once(clients, "message");
    const openedMs = performance.now() - startedAt;
    const after = await residentBytes(product.server.pid);
    const lags: number[] = [];
    for (let event = 0; event < EVENTS; event++) {
      const received = receiveLags(clients, sockets);
      await commit(database, { lockKeys: stream }, async ({ addEvent }) => {
        addEvent(stream, "history:cleared", {});
      });
      lags.push(...(await received));
    }
    return {
      sockets,
      "p50, ms": percentile(lags, 0.5),
      "p99, ms": percentile(lags, 0.99),
      "memory of a socket, KB": (after - before) / 1_024 / sockets,
      "handshakes/s": (sockets / openedMs) * 1_000,
    };
  } finally {
    clients.kill();
    await product.stop();
  }
}

const lagSchema = z.object({ lagMs: z.number() });

function receiveLags(clients: ChildProcess, count: number): Promise<number[]> {
  return new Promise((resolve) => {
    const lags: number[] = [];
    const receive = (message: unknown) => {
      lags.push(lagSchema.parse(message).lagMs);
      if (lags.length < count) return;
      clients.off("message", receive);
      resolve(lags);
    };
    clients.on("message", receive);
  });
}
