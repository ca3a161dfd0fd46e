import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../lib/project-root.mjs";

/** Every write to it fails with "no space left on device". */
const FULL_DISK = "/dev/full";

/** A part whose log cannot be written. */
export interface MutePart {
  readonly pid: number;
  /** Whether the process is still there. */
  isRunning(): boolean;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a part with its log on a disk that is full. It cannot say when it is ready: see who answers. */
export function spawnMutePart(kind: "server" | "worker", env: Record<string, string>): MutePart {
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
