import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@shared/testing/free-port.ts";
import { findExecutables } from "../lib/find-executable.mjs";

/** The `redis-server` on the PATH; undefined where there is none. */
export const findRedis = (): string | undefined => findExecutables(["redis-server"])[0];

/** Starts Redis with what Debian ships, kept on disk as queues are: append-only file, flushed each second. */
export async function startRedis(
  command: string,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "bench-redis-"));
  const port = await freePort();
  const settings = { port, dir: folder, bind: "127.0.0.1", save: "", appendonly: "yes" };
  const args = Object.entries({ ...settings, appendfsync: "everysec" });
  const child = spawn(
    command,
    args.flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  if (child.exitCode !== null) throw new Error("redis-server ended at once");
  child.stdout.resume();
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
