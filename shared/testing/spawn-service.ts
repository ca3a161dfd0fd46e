import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROJECT_ROOT = new URL("../../", import.meta.url);

/** An address without a service, so that a worker does not call the real one. */
const NOWHERE = "http://127.0.0.1:9";

/** A server or worker as a separate process. */
export interface SpawnedService {
  readonly pid: number;
  /** All log lines so far, as JSON. */
  readonly lines: string[];
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts a service as a process and waits until it is ready. By default it has a temporary DATA_DIR.
 * @param entry its main file, from the root of the project
 */
export async function spawnService(
  part: "server" | "worker",
  env: Record<string, string>,
  entry = `${part}/src/main.ts`,
): Promise<SpawnedService> {
  const ownFolder = mkdtempSync(join(tmpdir(), `${part}-`));
  const child = spawn(process.execPath, ["--import", "tsx", entry], {
    cwd: PROJECT_ROOT,
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: "info",
      DATA_DIR: ownFolder,
      YAHOO_URL: NOWHERE,
      LEDGER_CALENDARS: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once("exit", () => rmSync(ownFolder, { recursive: true }));
  const exited = once(child, "exit");
  const lines: string[] = [];
  await untilReady(child, { part, lines });
  return {
    pid: child.pid ?? -1,
    lines,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

function untilReady(
  child: ChildProcess,
  options: { part: string; lines: string[] },
): Promise<void> {
  const { part, lines } = options;
  return new Promise((resolve, reject) => {
    const hear = (line: string) => {
      lines.push(line);
      if (line.includes(`"${part} ready"`)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", hear);
    }
    child.once("exit", () => reject(new Error(`${part} ended early:\n${lines.join("\n")}`)));
  });
}

/** An unused TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("no port was given");
  return address.port;
}

interface ProcessEntry {
  pid: number;
  parentPid: number;
}

/** Ids of all processes that a process has started, also indirectly. */
export function descendantsOf(pid: number): number[] {
  const entries = listProcesses();
  const childrenOf = (parent: number): number[] =>
    entries
      .filter(({ parentPid }) => parentPid === parent)
      .flatMap((child) => [child.pid, ...childrenOf(child.pid)]);
  return childrenOf(pid);
}

/** The processes that are still running. */
export function stillRunning(pids: readonly number[]): number[] {
  const running = new Set(listProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => running.has(pid));
}

/** Running processes of this machine, without zombies. */
function listProcesses(): ProcessEntry[] {
  if (existsSync("/proc/self/status")) {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => parseStatus(readStatus(name)));
  }
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state && !state.startsWith("Z"))
    .map(([pid, parentPid]) => ({ pid: Number(pid), parentPid: Number(parentPid) }));
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // The process has exited.
    return "";
  }
}

function parseStatus(status: string): ProcessEntry[] {
  if (status === "" || /^State:\tZ/m.test(status)) return [];
  const field = (name: string) => Number(new RegExp(`^${name}:\\t(\\d+)$`, "m").exec(status)?.[1]);
  return [{ pid: field("Pid"), parentPid: field("PPid") }];
}
