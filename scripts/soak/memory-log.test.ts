import { expect, it } from "vitest";
import { describeMemory } from "./memory-log.ts";

/** A process watched every 10 s for `seconds`. */
const watched = (seconds: number, megabytesAt: (second: number) => number) => ({
  name: "worker-a",
  pid: 1,
  samples: Array.from({ length: seconds / 10 + 1 }, (_, index) => ({
    atMs: index * 10_000,
    megabytes: megabytesAt(index * 10),
  })),
});

it("a process that grows after its warm-up is found", () => {
  const leak = describeMemory(
    watched(300, (second) => 100 + second / 2),
    20,
  );
  expect(leak).toMatchObject({
    growthMbPerMinute: 30,
    grewTooMuch: true,
    firstMb: 100,
    lastMb: 250,
  });
});

it("a process may grow while it warms up", () => {
  const warm = describeMemory(
    watched(300, (second) => Math.min(100 + 2 * second, 280)),
    20,
  );
  expect(warm).toMatchObject({ growthMbPerMinute: 0, grewTooMuch: false });
});

it("the growth of a process that exited soon is unknown", () => {
  const short = describeMemory(
    watched(120, (second) => 100 + second),
    20,
  );
  expect(short).toMatchObject({ growthMbPerMinute: null, grewTooMuch: false, lifeSeconds: 120 });
});
