import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Database } from "@shared/database/database.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { z } from "zod";
import { percentile, printTable } from "./lib/report.ts";
import { startProduct } from "./lib/start-product.ts";

const CROWDS = [1_000, 5_000] as const;
const EVENTS = 20;
const CROWD_FILE = fileURLToPath(new URL("socket-clients.ts", import.meta.url));

/**
 * Measures one event on its way to very many sockets of one server: from the moment it is told, before its commit,
 * until a socket in another process has it. All sockets are one user's, so that each event goes to all of them.
 */
export async function benchFanout(options: { database: Database; uri: string }): Promise<void> {
  const rows = [];
  for (const sockets of CROWDS) rows.push(await measureCrowd(sockets, options));
  printTable(`Fan-out: ${EVENTS} events, each to all sockets of one server`, rows);
}

async function measureCrowd(sockets: number, options: { database: Database; uri: string }) {
  const { database } = options;
  const product = await startProduct({ ...options, workers: 0 });
  const settings = loadSettings({ JWT_SECRET: product.jwtSecret, ADMIN_PASSWORD: "not used" });
  const user = await createUser(database, { approved: true });
  const stream = userStream(user._id);
  const before = await residentBytes(product.server.pid);
  const startedAt = performance.now();
  const crowd = fork(CROWD_FILE, {
    execArgv: ["--import", "tsx"],
    env: {
      PATH: process.env.PATH,
      API_URL: product.apiUrl,
      TOKEN: signTokenFor(user, settings),
      COUNT: String(sockets),
    },
  });
  try {
    await once(crowd, "message");
    const openedMs = performance.now() - startedAt;
    const after = await residentBytes(product.server.pid);
    const lags: number[] = [];
    for (let event = 0; event < EVENTS; event++) {
      const heard = hearAll(crowd, sockets);
      await commit(database, { lockKeys: stream }, async ({ addEvent }) => {
        addEvent(stream, "history:cleared", {});
      });
      lags.push(...(await heard));
    }
    return {
      sockets,
      "p50, ms": percentile(lags, 0.5),
      "p99, ms": percentile(lags, 0.99),
      "memory of a socket, KB": (after - before) / 1_024 / sockets,
      "handshakes/s": (sockets / openedMs) * 1_000,
    };
  } finally {
    crowd.kill();
    await product.stop();
  }
}

const lagSchema = z.object({ lagMs: z.number() });

function hearAll(crowd: ChildProcess, sockets: number): Promise<number[]> {
  return new Promise((resolve) => {
    const lags: number[] = [];
    const hear = (message: unknown) => {
      lags.push(lagSchema.parse(message).lagMs);
      if (lags.length < sockets) return;
      crowd.off("message", hear);
      resolve(lags);
    };
    crowd.on("message", hear);
  });
}

/** What the kernel says that a process holds in memory. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}
