import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

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
