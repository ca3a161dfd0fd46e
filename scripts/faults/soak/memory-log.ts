import { linearRegression } from "simple-statistics";
import { runCommand } from "../../lib/commands.mjs";

/** Resident memory of one process over its life. */
export interface ProcessMemory {
  name: string;
  pid: number;
  samples: { atMs: number; megabytes: number }[];
}

/** How much memory a process had, and whether it grew once it was warm. */
export interface MemoryRow {
  name: string;
  pid: number;
  /** Seconds that it was watched. */
  lifeSeconds: number;
  firstMb: number;
  lastMb: number;
  mostMb: number;
  /** By a straight line through all samples after the warm-up; null if its life was too short to tell. */
  growthMbPerMinute: number | null;
  grewTooMuch: boolean;
}

/** Code is compiled and pools are filled until then: half of a life that may be as short as four minutes. */
const WARM_UP_MS = 90_000;
/** A line through less says nothing: a garbage collection moves the figure by tens of megabytes. */
const LEAST_WATCHED_MS = 90_000;
const KILOBYTES_IN_MEGABYTE = 1_024;

/** Samples the resident memory of processes. */
export class MemoryLog {
  readonly #processes = new Map<number, ProcessMemory>();

  async sample(processes: readonly { name: string; pid: number }[]): Promise<void> {
    const pids = processes.map(({ pid }) => pid).join(",");
    const { stdout } = await runCommand({ command: "ps", args: ["-o", "pid=,rss=", "-p", pids] });
    const atMs = performance.now();
    for (const line of stdout.trim().split("\n")) {
      const [pid = Number.NaN, kilobytes = Number.NaN] = line.trim().split(/\s+/).map(Number);
      const name = processes.find((one) => one.pid === pid)?.name;
      // One that has just been killed has no memory any more.
      if (name === undefined || kilobytes === 0) continue;
      const known = this.#processes.get(pid) ?? { name, pid, samples: [] };
      known.samples.push({ atMs, megabytes: kilobytes / KILOBYTES_IN_MEGABYTE });
      this.#processes.set(pid, known);
    }
  }

  /** @param mostGrowthMbPerMinute what a warm process may grow by */
  rows(mostGrowthMbPerMinute: number): MemoryRow[] {
    return [...this.#processes.values()].map((one) => describeMemory(one, mostGrowthMbPerMinute));
  }
}

/** The figures of one process. */
export function describeMemory(
  { name, pid, samples }: ProcessMemory,
  mostGrowthMbPerMinute: number,
): MemoryRow {
  const sizes = samples.map(({ megabytes }) => megabytes);
  const startMs = samples[0]?.atMs ?? 0;
  const endMs = samples.at(-1)?.atMs ?? 0;
  const warm = samples.filter(({ atMs }) => atMs - startMs >= WARM_UP_MS);
  const isTelling = endMs - (warm[0]?.atMs ?? endMs) >= LEAST_WATCHED_MS;
  const points = warm.map(({ atMs, megabytes }) => [(atMs - startMs) / 60_000, megabytes]);
  const growthMbPerMinute = isTelling ? linearRegression(points).m : null;
  return {
    name,
    pid,
    lifeSeconds: Math.round((endMs - startMs) / 1_000),
    firstMb: Math.round(sizes[0] ?? 0),
    lastMb: Math.round(sizes.at(-1) ?? 0),
    mostMb: Math.round(Math.max(...sizes)),
    growthMbPerMinute: growthMbPerMinute === null ? null : Math.round(growthMbPerMinute * 10) / 10,
    grewTooMuch: growthMbPerMinute !== null && growthMbPerMinute > mostGrowthMbPerMinute,
  };
}
