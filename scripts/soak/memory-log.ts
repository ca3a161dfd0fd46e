import { linearRegression } from "simple-statistics";
import { residentBytes } from "../bench/start-product.ts";

interface ProcessMemory {
  name: string;
  pid: number;
  samples: { atMs: number; megabytes: number }[];
}

/** Until then, code is compiled and pools are filled. */
const WARM_UP_MS = 90_000;
/** In less time, a garbage collection moves the slope by tens of megabytes. */
const MIN_WATCHED_MS = 90_000;

export class MemoryLog {
  readonly #processes = new Map<number, ProcessMemory>();

  async sample(processes: readonly { name: string; pid: number }[]): Promise<void> {
    for (const { name, pid } of processes) {
      // A process that was just killed has no memory.
      const bytes = await residentBytes(pid).catch(() => Number.NaN);
      if (Number.isNaN(bytes)) continue;
      const memory = this.#processes.get(pid) ?? { name, pid, samples: [] };
      memory.samples.push({ atMs: performance.now(), megabytes: bytes / 2 ** 20 });
      this.#processes.set(pid, memory);
    }
  }

  rows(maxGrowthMbPerMinute: number) {
    return [...this.#processes.values()].map((one) => describeMemory(one, maxGrowthMbPerMinute));
  }
}

export function describeMemory(
  { name, pid, samples }: ProcessMemory,
  maxGrowthMbPerMinute: number,
) {
  const sizes = samples.map(({ megabytes }) => Math.round(megabytes));
  const startMs = samples[0]?.atMs ?? 0;
  const endMs = samples.at(-1)?.atMs ?? 0;
  const warm = samples.filter(({ atMs }) => atMs - startMs >= WARM_UP_MS);
  const isLongEnough = endMs - (warm[0]?.atMs ?? endMs) >= MIN_WATCHED_MS;
  const points = warm.map(({ atMs, megabytes }) => [atMs / 60_000, megabytes]);
  const growth = isLongEnough ? Math.round(linearRegression(points).m * 10) / 10 : null;
  return {
    name,
    pid,
    lifeSeconds: Math.round((endMs - startMs) / 1_000),
    firstMb: sizes[0] ?? 0,
    lastMb: sizes.at(-1) ?? 0,
    maxMb: Math.max(...sizes),
    /** Slope of a line through all samples after the warm-up; null if there are too few. */
    growthMbPerMinute: growth,
    grewTooMuch: growth !== null && growth > maxGrowthMbPerMinute,
  };
}
