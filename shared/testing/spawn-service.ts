import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { listenLocally } from "./fakes/fake-http.ts";

const PROJECT_ROOT = new URL("../..", import.meta.url);

/** A hook of a test has longer, so that the output of a service that is not ready by then is in its error. */
const READY_TIMEOUT_MS = 60_000;

/** An address without a service, so that a worker does not call the real one. */
const NOWHERE = "http://127.0.0.1:9";

export type SpawnedService = Awaited<ReturnType<typeof spawnService>>;

/**
 * Starts a service as a process and waits until it is ready. By default it has a temporary DATA_DIR. It stops when this
 * process has exited.
 * @param entry its main file; by default the one that the test run has bundled, otherwise its source
 */
export async function spawnService(
  service: "server" | "worker",
  env: Record<string, string>,
  entry = mainFile(service),
) {
  const ownFolder = mkdtempSync(join(tmpdir(), `${service}-`));
  const preload = ["--import", "./scripts/lib/services/exit-with-parent.mjs"];
  const loader = entry.endsWith(".ts") ? ["--import", "tsx"] : [];
  const child = spawn(process.execPath, [...preload, ...loader, entry], {
    cwd: PROJECT_ROOT,
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: "info",
      DATA_DIR: ownFolder,
      YAHOO_URL: NOWHERE,
      LEDGER_CALENDARS: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.once("exit", () => rmSync(ownFolder, { recursive: true }));
  const exited = once(child, "exit");
  const lines: string[] = [];
  await untilReady(child, { service, lines });
  return {
    pid: child.pid ?? Number.NaN,
    lines,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    /** Sends SIGTERM; resolves with the exit code. */
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

function untilReady(
  child: ChildProcess,
  options: { service: string; lines: string[] },
): Promise<void> {
  const { service, lines } = options;
  const timer = setTimeout(() => {
    lines.push(`not ready after ${READY_TIMEOUT_MS / 1_000} s`);
    child.kill("SIGKILL");
  }, READY_TIMEOUT_MS);
  const isReady = new Promise<void>((resolve, reject) => {
    const readLine = (line: string) => {
      lines.push(line);
      if (line.includes(`"${service} ready"`)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", readLine);
    }
    child.once("exit", () => reject(new Error(`${service} ended early:\n${lines.join("\n")}`)));
  });
  return isReady.finally(() => clearTimeout(timer));
}

function mainFile(service: string): string {
  const { BUNDLED_SERVICES: folder } = process.env;
  return folder ? join(folder, `${service}.mjs`) : `${service}/src/main.ts`;
}

/** An unused TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLocally(server);
  server.close();
  await once(server, "close");
  return port;
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

/**
 * Memory, in MiB, that a process and its descendants have resident. A page that several processes share, such as one of the
 * program, counts once in all of them (`Pss` in proc_pid_smaps(5)). On Linux only.
 */
export function residentMibOf(pid: number): number {
  try {
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const residentKib = Number(/^Pss:\s+(\d+) kB$/m.exec(memory)?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    const pids = children === "" ? [] : children.split(" ").map(Number);
    return pids.reduce((sum, child) => sum + residentMibOf(child), residentKib / 1_024);
  } catch {
    // It has just ended.
    return 0;
  }
}

export function stillRunning(pids: readonly number[]): number[] {
  const running = new Set(listProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => running.has(pid));
}

function listProcesses(): { pid: number; parentPid: number }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state && !state.startsWith("Z"))
    .map(([pid, parentPid]) => ({ pid: Number(pid), parentPid: Number(parentPid) }));
}

/** Watches the memory of a process and its children. @returns a function that stops it and gives the peak in MiB */
export function watchResidentMib(pid: number): () => Promise<number> {
  const stop = new AbortController();
  const watching = (async () => {
    let peakMib = 0;
    while (!stop.signal.aborted) {
      peakMib = Math.max(peakMib, residentMibOf(pid));
      await delay(100);
    }
    return peakMib;
  })();
  return () => {
    stop.abort();
    return watching;
  };
}
