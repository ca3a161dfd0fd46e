import { execFileSync } from "node:child_process";

/** Ids of all processes that a process has started, also indirectly. */
export function descendantsOf(pid: number): number[] {
  const entries = listProcesses();
  const childrenOf = (parent: number): number[] =>
    entries
      .filter(({ parentPid }) => parentPid === parent)
      .flatMap((child) => [child.pid, ...childrenOf(child.pid)]);
  return childrenOf(pid);
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
