import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness, untilEnded } from "./harness/harness.ts";
import { ServiceSlot } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

describe("with its log on a disk that is full", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  const env = (appName: string) => ({ ...harness.env, MONGODB_URI: harness.mongo.uri(appName) });
  const askFor = async (count: number, via = harness.servers.a) => {
    const trader = await harness.signUp();
    await trader.connect(harness.servers.b);
    const asking = Array.from({ length: count }, () => trader.ask(via, harness.nextMarket()));
    const replies = (await Promise.all(asking)).flatMap((asked) => asked.replies);
    return replies.flatMap((reply) => (reply.kind === "accepted" ? [reply.signalId] : []));
  };

  it("a worker goes on working, and ends in order", async () => {
    const workers = Object.values(harness.workers);
    await Promise.all(workers.map((worker) => worker.stop()));
    const mute = spawnFullDiskService("worker", env("mute-worker"));
    const ids = await askFor(5);
    await untilEnded(harness, ids);
    expect(await harness.database.signals.countDocuments({ status: "completed" })).toBe(5);
    expect(mute.isRunning()).toBe(true);
    expect(await mute.stop()).toBe(0);
    await Promise.all(workers.map((worker) => worker.start()));
    await assertInvariants(harness);
  });

  it("a server goes on answering, and ends in order", async () => {
    const port = String(await freePort());
    const mute = spawnFullDiskService("server", { ...env("mute-server"), API_PORT: port });
    const via = new ServiceSlot({ name: "mute-server", kind: "server", env: { API_PORT: port } });
    await until(async () => (await fetch(`${via.url}/readyz`)).ok, { what: "the server" });
    const ids = await askFor(5, via);
    expect(ids).toHaveLength(5);
    await untilEnded(harness, ids);
    expect(await mute.stop()).toBe(0);
    await assertInvariants(harness);
  });
});

/** Every write to it fails with "no space left on device". */
const FULL_DISK = "/dev/full";

/** A service whose log cannot be written. */
interface FullDiskService {
  readonly pid: number;
  isRunning(): boolean;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a service with its log on a full disk. It cannot log that it is ready, so poll it. */
function spawnFullDiskService(
  kind: "server" | "worker",
  env: Record<string, string>,
): FullDiskService {
  const folder = mkdtempSync(join(tmpdir(), "mute-"));
  const log = openSync(FULL_DISK, "w");
  const child = spawn(process.execPath, ["--import", "tsx", `${kind}/src/main.ts`], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, DATA_DIR: folder, YAHOO_URL: "http://127.0.0.1:9", ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const exited = once(child, "exit").finally(() => rmSync(folder, { recursive: true }));
  return {
    pid: child.pid ?? Number.NaN,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}
